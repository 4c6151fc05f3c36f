const LEAST_SECONDS = 1e-6
const MOST_SECONDS = 1e6
/** Ratio of the limits of one bucket. */
const GROWTH = 1.02
const BUCKETS = Math.ceil(Math.log(MOST_SECONDS / LEAST_SECONDS) / Math.log(GROWTH)) + 1

/** Quantiles of durations in bounded memory. */
interface SecondsSketch {
  count: number
  add(seconds: number): void
  /** The value that `share` of the durations do not exceed, within 1 %; NaN when there are none. */
  quantile(share: number): number
}

/** Buckets of equal width on a logarithmic scale, as in DDSketch (Masson, Rim & Lee, VLDB 2019), for 1 µs to 11 days. */
export function createSecondsSketch(): SecondsSketch {
  const counts = new Float64Array(BUCKETS)
  return {
    count: 0,
    add(seconds) {
      const clamped = Math.min(Math.max(seconds, LEAST_SECONDS), MOST_SECONDS)
      const bucket = Math.floor(Math.log(clamped / LEAST_SECONDS) / Math.log(GROWTH))
      counts[bucket] = (counts[bucket] ?? 0) + 1
      this.count += 1
    },
    quantile(share) {
      let left = share * this.count
      const bucket = counts.findIndex(count => {
        left -= count
        return count > 0 && left <= 0
      })
      return bucket < 0 ? Number.NaN : LEAST_SECONDS * GROWTH ** (bucket + 0.5)
    },
  }
}
