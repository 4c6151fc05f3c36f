type Values = readonly number[] | Float64Array

/** Arithmetic mean; NaN for no values. */
export function mean(values: Values): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Arithmetic mean; null for no values. */
export function meanOrNull(values: Values): number | null {
  return values.length === 0 ? null : mean(values)
}

/** Nearest-rank percentile: the smallest value with at least `share` (in (0,1]) of the values at or below it; null for no values. */
export function percentile(values: Values, share: number): number | null {
  return percentileOfSorted(Float64Array.from(values).sort(), share)
}

/** `percentile` of values in ascending order. */
export function percentileOfSorted(sorted: Values, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

/**
 * Quantile of values in ascending order by linear interpolation between the two nearest order statistics (Hyndman & Fan 1996, type 7).
 * @param share in [0,1]; a share outside counts as the nearer end
 * @returns NaN for no values
 */
export function quantileOfSorted(sorted: Values, share: number): number {
  const place = Math.min(Math.max(share, 0), 1) * (sorted.length - 1)
  const below = Math.floor(place)
  const [low, high] = [sorted[below] ?? Number.NaN, sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN]
  return low + (high - low) * (place - below)
}
