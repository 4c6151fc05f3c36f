import { mean } from './sample.ts'

/**
 * `sets[s][q]` is the value of query q of set s: a difference between two arms, or a measure of one arm.
 * Every set has the same weight, however many queries it has.
 */
export type QuerySets = readonly (readonly number[])[]

/**
 * The mean over sets of the mean over queries, with what its spread lets say. Queries and sets are taken as independent.
 * @throws RangeError without sets, when a set has no queries, or when a value is not finite
 */
export function macroMean(sets: QuerySets) {
  if (sets.length === 0 || sets.some(set => set.length === 0)) throw new RangeError('every set needs queries')
  if (!sets.every(set => set.every(Number.isFinite))) throw new RangeError('the value of a query is not finite')
  const parts = sets.map(set => ({ n: set.length, variance: varianceOfMean(set) / sets.length ** 2 }))
  const sum = (of: (part: { n: number; variance: number }) => number) => parts.reduce((all, part) => all + of(part), 0)
  const variance = sum(part => part.variance)
  return {
    value: mean(sets.map(mean)),
    /** Number of queries. */
    n: sum(({ n }) => n),
    /** Number of queries whose value is not 0. */
    nonZero: sets.reduce((count, set) => count + set.filter(value => value !== 0).length, 0),
    /** Standard error by the unbiased variances of the sets; 0 when each set has equal values only. */
    error: Math.sqrt(variance),
    /** Degrees of freedom of the error by Welch and Satterthwaite, at least 1; null when the error is 0. */
    freedom: variance === 0 ? null : 1 / sum(part => (part.variance / variance) ** 2 / Math.max(part.n - 1, 1)),
    /** Error of the bootstrap, which divides by n where the unbiased variance divides by n − 1, ÷ `error`; 1 when the error is 0. */
    bootstrapShare: variance === 0 ? 1 : Math.sqrt(sum(part => (part.variance * (part.n - 1)) / part.n) / variance),
  }
}

/** s² / n with the unbiased s²; exactly 0 for equal values, and for a single one, which tells nothing of its spread. */
function varianceOfMean(values: readonly number[]): number {
  if (values.every(value => value === values[0])) return 0
  const middle = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return squares / (values.length - 1) / values.length
}
