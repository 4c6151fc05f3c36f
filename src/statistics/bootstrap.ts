import { normalBelow, studentQuantile } from './distributions.ts'
import { resampleCounts } from './draws.ts'
import { macroMean, type QuerySets } from './macro-mean.ts'
import { quantileOfSorted } from './sample.ts'
import { DEFAULT_SEED } from './seeded-random.ts'

/** A mean with its interval. */
export interface Interval {
  mean: number
  low: number
  high: number
  /** Number of queries. */
  n: number
  /** Number of queries whose value is not 0. The interval is too narrow below about 10 of them in a set. */
  nonZero: number
}

export interface BootstrapOptions {
  resamples: number
  seed: number
  /** Share of the intervals that shall contain the true mean, in (0,1). */
  confidence: number
}

export const BOOTSTRAP_DEFAULTS: BootstrapOptions = { resamples: 4000, seed: DEFAULT_SEED, confidence: 0.95 }

/** An end that is closer to 0 is what rounding has left of values that cancel each other. */
const ROUNDING = 1e-12

/**
 * Bootstrap interval of a mean over sets of means over queries. With differences between two arms as values it is paired by query. Each
 * resample draws the queries of every set with replacement. The ends are percentiles of the resampled means, farther out than the
 * confidence says by what t quantiles and n / (n − 1) add to the width of a normal interval (the expanded percentile interval of
 * Hesterberg 2015, "What teachers should know about the bootstrap"; over several sets with the degrees of freedom of Welch and
 * Satterthwaite). The interval holds for queries like those of these sets, not for other corpora. Equal values have an interval of
 * width 0. The result depends on the input and the options only.
 * @throws RangeError without resamples, when a set has no queries, or when a value is not finite
 */
export function pairedInterval(sets: QuerySets, options: Partial<BootstrapOptions> = {}): Interval {
  const { resamples, seed, confidence } = { ...BOOTSTRAP_DEFAULTS, ...options }
  if (!(resamples >= 1)) throw new RangeError('an interval needs resamples')
  const { value, freedom, bootstrapShare, n, nonZero } = macroMean(sets)
  if (freedom === null) return { mean: value, low: value, high: value, n, nonZero }
  const means = resampledMeans(sets, resamples, seed).sort()
  const beyond = normalBelow(studentQuantile((1 - confidence) / 2, freedom) / bootstrapShare)
  const end = (share: number) => {
    const quantile = quantileOfSorted(means, share)
    return Math.abs(quantile) < ROUNDING ? 0 : quantile
  }
  return { mean: value, low: end(beyond), high: end(1 - beyond), n, nonZero }
}

/** The mean over sets of the mean over queries in each resample. Values of 0 cost no time. */
function resampledMeans(sets: QuerySets, resamples: number, seed: number): Float64Array {
  const means = new Float64Array(resamples)
  sets.forEach((set, number) => {
    const sameSize = sets.slice(0, number).filter(other => other.length === set.length).length
    const counts = resampleCounts(set.length, resamples, seed, sameSize)
    const places = Uint32Array.from(set.flatMap((value, place) => (value === 0 ? [] : [place])))
    const values = Float64Array.from(places, place => (set[place] ?? 0) / set.length / sets.length)
    for (let resample = 0; resample < resamples; resample++) {
      const start = resample * set.length
      let sum = 0
      for (let at = 0; at < places.length; at++) sum += (values[at] ?? 0) * (counts[start + (places[at] ?? 0)] ?? 0)
      means[resample] = (means[resample] ?? 0) + sum
    }
  })
  return means
}
