import { mean } from './context.ts'

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
    low: quantile(values, 0.025),
    high: quantile(values, 0.975),
    n: sets.reduce((sum, set) => sum + set.length, 0),
  }
}

export type Verdict = 'significantly better' | 'significantly worse' | 'no difference'

/** An interval that contains 0 is no difference. */
export function verdictOf({ low, high }: Interval): Verdict {
  if (low > 0) return 'significantly better'
  return high < 0 ? 'significantly worse' : 'no difference'
}

/** Uniform numbers in [0,1) by mulberry32; the period is 2^32. */
export function seededRandom(seed: number): () => number {
  let counter = seed >>> 0
  return () => {
    counter = (counter + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(counter ^ (counter >>> 15), counter | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Linear interpolation between the two nearest order statistics. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const [low, high] = [sorted[below] ?? Number.NaN, sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN]
  return low + (high - low) * (place - below)
}
