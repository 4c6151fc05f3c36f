import { compareTogether } from '../../../src/statistics/comparison.ts'
import { macroMean } from '../../../src/statistics/macro-mean.ts'
import { pairedRandomizationTest, type RandomizationOptions } from '../../../src/statistics/randomization.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { smallestEffect } from '../../../src/statistics/smallest-effect.ts'
import type { IntervalMethod } from './other-intervals.ts'
import { sample, type World, withEffect, withoutEffect } from './worlds.ts'

export interface Scale {
  /** Simulated comparisons. */
  trials: number
  seed?: number
}

/**
 * Share of the intervals that contain the true mean, and the mean effective number of queries whose difference is not 0: as many in one
 * set would weigh the same, (Σw)² / Σw² with the weights w of the queries (Kish 1965). In a small set each query has a large weight.
 */
export function coverage(
  method: IntervalMethod,
  world: World,
  sizes: readonly number[],
  { trials, seed = 1, resamples = 1_000 }: Scale & { resamples?: number },
): { covered: number; effective: number } {
  const random = seededRandom(seed)
  let [covered, effective] = [0, 0]
  for (let trial = 0; trial < trials; trial++) {
    const sets = sample(world, sizes, random)
    const { low, high } = method(sets, { resamples, seed: seed + (trial % 50) })
    covered += Number(low <= world.mean + 1e-9 && high >= world.mean - 1e-9) / trials
    const weights = sets.flatMap(set => set.flatMap(value => (value === 0 ? [] : [1 / set.length])))
    const sum = (power: number) => weights.reduce((total, weight) => total + weight ** power, 0)
    effective += weights.length === 0 ? 0 : sum(1) ** 2 / sum(2) / trials
  }
  return { covered, effective }
}

/** Share of the randomization tests whose p value is at most `level`. */
export function rejected(
  world: World,
  sizes: readonly number[],
  { trials, seed = 1, level = 0.05, ...options }: Scale & RandomizationOptions & { level?: number },
): number {
  const random = seededRandom(seed)
  let found = 0
  for (let trial = 0; trial < trials; trial++) {
    const p = pairedRandomizationTest(sample(world, sizes, random), { rounds: 500, ...options })
    found += Number(p <= level) / trials
  }
  return found
}

/**
 * Share of the randomization tests that find the smallest effect of one sample in others from a world with this effect. The absolute
 * differences are those of `world`; the effect is in how many of them are gains.
 */
export function powerAtSmallestEffect(
  world: World,
  sizes: readonly number[],
  { trials, seed = 1 }: Scale,
): { effect: number; found: number } {
  const random = seededRandom(seed)
  const absolute = macroMean([Array.from({ length: 20_000 }, () => Math.abs(world.draw(random)))]).value
  const effects = Array.from({ length: 200 }, () => smallestEffect(sample(withoutEffect(world), sizes, random)) ?? 0)
  const effect = effects.reduce((sum, value) => sum + value, 0) / effects.length
  return { effect, found: rejected(withEffect(world, effect, absolute), sizes, { trials, seed }) }
}

/** Share of the ablations of `rules` rules without any effect in which at least one rule gets a verdict. */
export function falseVerdicts(world: World, rules: number, size: number, { trials, seed = 1 }: Scale): number {
  const random = seededRandom(seed)
  let wrong = 0
  for (let trial = 0; trial < trials; trial++) {
    const differences = Array.from(
      { length: rules },
      (_, rule) => [`rule ${rule}`, sample(withoutEffect(world), [size], random)] as const,
    )
    const compared = [...compareTogether(new Map(differences), { resamples: 200 }).values()]
    wrong += Number(compared.some(({ verdict }) => verdict !== 'unproven')) / trials
  }
  return wrong
}
