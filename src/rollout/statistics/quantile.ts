import { quantileOfSorted } from '../../statistics/sample.ts'
import { meanOf, sumsOf } from './unit-sums.ts'

/** Durations below a nanosecond are taken as one, because their logarithm is compared. */
const LEAST_SECONDS = 1e-9

/** A quantile of all requests, when the requests of one unit are not independent. */
export interface ClusteredQuantile {
  value: number
  effectiveUnits: number
  /** The ends `t` standard errors away. The upper end is infinite and the lower one 0 when it lies beyond the requests. */
  interval(t: number): [number, number]
}

/**
 * A quantile with an interval by inversion (Woodruff 1952): the share of requests at or below the quantile is a mean over requests, with
 * a variance between units by the delta method; the interval of this share is read off as order statistics. This is the method of
 * Deng, Knoblich & Lu (KDD 2018, section 4) for quantiles of requests when sessions are assigned.
 * @param values durations, in seconds; `units` has the number of each one's unit
 * @param share in (0,1): .95 for the 95th percentile
 */
export function clusteredQuantile(
  values: readonly number[],
  units: readonly number[],
  share: number,
): ClusteredQuantile | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values, value => Math.max(value, LEAST_SECONDS)).sort()
  const value = quantileOfSorted(sorted, share)
  const isBelow = values.map(seconds => (seconds <= value ? 1 : 0))
  const { variance, effectiveUnits } = meanOf(sumsOf(isBelow, units))
  // Requests of one unit are rarely less alike than requests of different units, but ties can make it seem so.
  const error = Math.sqrt(Math.max(variance ?? 0, (share * (1 - share)) / values.length))
  return {
    value,
    effectiveUnits,
    interval: t => [
      share - t * error < 0.5 / values.length ? 0 : quantileOfSorted(sorted, share - t * error),
      share + t * error > 1 - 0.5 / values.length
        ? Number.POSITIVE_INFINITY
        : quantileOfSorted(sorted, share + t * error),
    ],
  }
}
