import { randomBytes } from './draws.ts'
import { macroMean, type QuerySets } from './macro-mean.ts'
import { DEFAULT_SEED } from './seeded-random.ts'

export interface RandomizationOptions {
  /** Rounds of the Monte Carlo test; its smallest p value is 1 / (1 + rounds). */
  rounds?: number
  seed?: number
  /** `greater`: only a mean above 0 counts as a difference. `less`: only one below 0. */
  alternative?: 'two-sided' | 'greater' | 'less'
}

/** Up to this many differences that are not 0, every combination of signs is tried. */
const EXACT_UP_TO = 12
/** Means that differ by less than this share of the largest possible mean are equal: sums of thirds are not exact. */
const ROUNDING = 1e-9

/**
 * Paired randomization test (Fisher; Smucker, Allan & Carterette 2007, "A comparison of statistical significance tests for information
 * retrieval evaluation"): without a difference between two arms, the sign of each query's difference is as likely + as -. The p value is
 * the share of the combinations of signs whose mean over sets of means over queries is at least as extreme as the seen one: of all
 * combinations when at most 12 differences are not 0, else (1 + hits) / (1 + rounds) of random ones. A difference of 0 has no sign, so
 * it changes no mean and stays in the number of queries. The result depends on the input and the options only.
 * @param sets `sets[s][q]` is the difference on query q of set s
 * @returns p in (0,1]; 1 when all differences are 0
 * @throws RangeError without rounds, when a set has no queries, or when a difference is not finite
 */
export function pairedRandomizationTest(
  sets: QuerySets,
  { rounds = 10_000, seed = DEFAULT_SEED, alternative = 'two-sided' }: RandomizationOptions = {},
): number {
  if (!(rounds >= 1)) throw new RangeError('a randomization test needs rounds')
  const { nonZero } = macroMean(sets)
  // The number of sets would divide every mean, so it is left out.
  const parts = sets.flatMap(set => set.flatMap(value => (value === 0 ? [] : [value / set.length])))
  const exact = nonZero <= EXACT_UP_TO
  const means = exact ? signedSums(parts) : randomSums(parts, rounds, seed)
  const seen = parts.reduce((sum, part) => sum + part, 0)
  const slack = ROUNDING * parts.reduce((sum, part) => sum + Math.abs(part), 0)
  const extreme = {
    'two-sided': (mean: number) => Math.abs(mean) >= Math.abs(seen) - slack,
    greater: (mean: number) => mean >= seen - slack,
    less: (mean: number) => mean <= seen + slack,
  }[alternative]
  const hits = means.reduce((count, mean) => count + (extreme(mean) ? 1 : 0), 0)
  return exact ? hits / means.length : (1 + hits) / (1 + rounds)
}

/** The sum of the parts with every combination of signs: 2^n values. */
function signedSums(parts: readonly number[]): Float64Array {
  let sums = new Float64Array(1)
  for (const part of parts) {
    const longer = new Float64Array(2 * sums.length)
    longer.set(sums.map(sum => sum + part))
    longer.set(
      sums.map(sum => sum - part),
      sums.length,
    )
    sums = longer
  }
  return sums
}

/** The sum with random signs, in each round. One random byte chooses among the sums of 8 parts, so 8 signs cost one addition. */
function randomSums(parts: readonly number[], rounds: number, seed: number): Float64Array {
  const totals = new Float64Array(rounds)
  for (let first = 0; first < parts.length; first += 8) {
    const sums = signedSums(parts.slice(first, first + 8))
    const bytes = randomBytes(rounds, seed, first)
    for (let round = 0; round < rounds; round++)
      totals[round] = (totals[round] ?? 0) + (sums[(bytes[round] ?? 0) % sums.length] ?? 0)
  }
  return totals
}
