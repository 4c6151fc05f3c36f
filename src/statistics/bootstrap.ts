import { mean, quantileOfSorted } from './sample.ts'
import { seededRandom } from './seeded-random.ts'

/** A mean difference with its 95 % interval. */
export interface Interval {
  mean: number
  low: number
  high: number
  /** Number of queries. */
  n: number
}

export interface BootstrapOptions {
  resamples: number
  seed: number
}

export const BOOTSTRAP_DEFAULTS: BootstrapOptions = { resamples: 4000, seed: 20_261_121 }

/**
 * Paired bootstrap, percentile method (Efron & Tibshirani 1993). `sets[s][q]` is the difference between two arms on query q of set s,
 * averaged over its budgets. Each resample draws the queries of every set with replacement; its value is the mean over sets of the mean
 * over queries. The interval holds for queries of these sets, not for other corpora, and is too narrow below about 30 queries.
 * The result depends on the input and the seed only.
 * @throws RangeError when a set has no queries
 */
export function pairedInterval(
  sets: readonly (readonly number[])[],
  { resamples, seed }: BootstrapOptions = BOOTSTRAP_DEFAULTS,
): Interval {
  if (sets.length === 0 || sets.some(set => set.length === 0) || resamples < 1)
    throw new RangeError('an interval needs queries in every set')
  const random = seededRandom(seed)
  const resampled = (set: readonly number[]) => set.map(() => set[Math.floor(random() * set.length)] ?? 0)
  const values = Float64Array.from({ length: resamples }, () => mean(sets.map(set => mean(resampled(set))))).sort()
  return {
    mean: mean(sets.map(mean)),
    low: quantileOfSorted(values, 0.025),
    high: quantileOfSorted(values, 0.975),
    n: sets.reduce((sum, set) => sum + set.length, 0),
  }
}

export type Verdict = 'significantly better' | 'significantly worse' | 'no difference'

/** An interval that contains 0 is no difference. */
export function verdictOf({ low, high }: Interval): Verdict {
  if (low > 0) return 'significantly better'
  return high < 0 ? 'significantly worse' : 'no difference'
}
