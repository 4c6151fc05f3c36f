import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairedRandomizationTest } from '../../src/statistics/randomization.ts'
import { rejected } from './support/simulations.ts'
import { centred, WORLDS, withoutEffect } from './support/worlds.ts'

const ALTERNATIVES = ['two-sided', 'greater', 'less'] as const
type Alternative = (typeof ALTERNATIVES)[number]

/** Tries every combination of signs of all queries, the differences of 0 included. Values are whole numbers, so sums are exact. */
function naive(sets: readonly (readonly number[])[], alternative: Alternative): number {
  const lengths = sets.reduce((product, set) => product * set.length, 1)
  const weighted = sets.flatMap(set => set.map(value => (value * lengths) / set.length))
  const seen = weighted.reduce((sum, value) => sum + value, 0)
  let hits = 0
  for (let signs = 0; signs < 2 ** weighted.length; signs++) {
    const sum = weighted.reduce((total, value, bit) => total + (signs & (1 << bit) ? -value : value), 0)
    hits += Number(
      { 'two-sided': Math.abs(sum) >= Math.abs(seen), greater: sum >= seen, less: sum <= seen }[alternative],
    )
  }
  return hits / 2 ** weighted.length
}

describe('paired randomization test', () => {
  it('agrees with SciPy where it is exact', () => {
    // scipy.stats.permutation_test((x * w,), sum, permutation_type='samples', n_resamples=inf), w = 1 / (sets * queries of the set)
    const one = [[1, 0.5, -1 / 3, 0, 1, 0.5, 0, 1 / 3, -0.5, 1]]
    const two = [
      [1, 0, 0, -1 / 3, 0.5],
      [0.25, 0.5, -0.25],
    ]
    const losses = [Array.from({ length: 20 }, (_, query) => (query < 6 ? 0.3 : 0))]
    const values = (sets: number[][]) => ALTERNATIVES.map(alternative => pairedRandomizationTest(sets, { alternative }))
    expect(values(one)).toEqual([0.1015625, 0.05078125, 0.97265625])
    expect(values(two)).toEqual([0.21875, 0.109375, 0.921875])
    expect(values(losses)).toEqual([0.03125, 0.015625, 1])
  })

  it('agrees with the enumeration of all signs, for any sets and alternatives', () => {
    const set = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(set, { minLength: 1, maxLength: 2 }),
        fc.constantFrom(...ALTERNATIVES),
        (sets, alternative) => {
          expect(pairedRandomizationTest(sets, { alternative })).toBe(naive(sets, alternative))
        },
      ),
    )
  })

  it.each(ALTERNATIVES)('comes close to the enumeration by random signs: %s', alternative => {
    const set = [3, -1, 2, 2, -1, 1, 3, -2, 1, 1, -1, 2, 0, 1, -3]
    const p = naive([set], alternative)
    const found = pairedRandomizationTest([set], { alternative, rounds: 20_000 })
    expect(Math.abs(found - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / 20_000))
  })

  it('tells thirds and their sums apart from nothing', () => {
    // 1/3 + 1/3 - 2/3 is not 0 in floating point. Each of these combinations ties with the seen one.
    const thirds = [1 / 3, 1 / 3, 2 / 3, -2 / 3, 1 / 3, -1 / 3, 0.1, 0.2, -0.3]
    const whole = thirds.map(value => Math.round(value * 30))
    expect(pairedRandomizationTest([thirds])).toBe(naive([whole], 'two-sided'))
  })

  it('has a p value of 1 without a difference, and never one of 0', () => {
    expect(pairedRandomizationTest([[0, 0, 0]])).toBe(1)
    expect(pairedRandomizationTest([Array(50).fill(1)], { rounds: 99 })).toBe(0.01)
    expect(pairedRandomizationTest([Array(5).fill(1)])).toBe(2 / 32)
  })

  it('depends on the seed only by chance, and on nothing else', () => {
    const set = Array.from({ length: 40 }, (_, query) => ((query * 7) % 11) - 4)
    const values = [1, 2, 3].map(seed => pairedRandomizationTest([set], { seed, rounds: 4_000 }))
    expect(values).toEqual([1, 2, 3].map(seed => pairedRandomizationTest([set], { seed, rounds: 4_000 })))
    expect(new Set(values).size).toBeGreaterThan(1)
    expect(Math.max(...values) - Math.min(...values)).toBeLessThan(0.05)
  })

  it.each([WORLDS.symmetric, WORLDS.answers, WORLDS.graded])(
    'rejects in at most about 5 of 100 samples without a difference: $name',
    world => {
      const found = rejected(withoutEffect(world), [50], { trials: 1_000, rounds: 99 })
      expect(found).toBeLessThan(0.067)
    },
  )

  it('keeps its size for differences that are skewed around 0, and over several sets', () => {
    const skewed = rejected(centred(WORLDS.graded), [50], { trials: 1_000, rounds: 99 })
    const several = rejected(withoutEffect(WORLDS.half), [20, 20, 30], { trials: 1_000, rounds: 99 })
    expect(skewed).toBeGreaterThan(0.035)
    expect(skewed).toBeLessThan(0.07)
    expect(several).toBeGreaterThan(0.035)
    expect(several).toBeLessThan(0.067)
  })

  it('refuses a set without queries, and no rounds', () => {
    expect(() => pairedRandomizationTest([])).toThrow(RangeError)
    expect(() => pairedRandomizationTest([[1], []])).toThrow(RangeError)
    expect(() => pairedRandomizationTest([[1]], { rounds: 0 })).toThrow(RangeError)
  })
})
