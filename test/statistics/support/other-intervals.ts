import { type Interval, pairedInterval } from '../../../src/statistics/bootstrap.ts'
import { normalBelow, normalQuantile, studentQuantile } from '../../../src/statistics/distributions.ts'
import { macroMean, type QuerySets } from '../../../src/statistics/macro-mean.ts'
import { mean, quantileOfSorted } from '../../../src/statistics/sample.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'

type Ends = Pick<Interval, 'low' | 'high'>
export type IntervalMethod = (sets: QuerySets, options: { resamples: number; seed: number }) => Ends

/** The method of the product, and those that it was compared with. They say what they do as plainly as they can, not fast. */
export const METHODS = {
  percentile: (sets, options) => between(resampled(sets, options), 0.025, 0.975),
  't-scaled percentile (used)': pairedInterval,
  BCa: (sets, options) => {
    const means = resampled(sets, options)
    const { value } = macroMean(sets)
    const below = means.filter(other => other < value - 1e-12).length
    const equal = means.filter(other => Math.abs(other - value) <= 1e-12).length
    const bias = normalQuantile(Math.min(Math.max((below + equal / 2) / means.length, 1e-6), 1 - 1e-6))
    const influences = sets.flatMap(set => set.map(query => (query - mean(set)) / set.length / sets.length))
    const power = (exponent: number) => influences.reduce((sum, influence) => sum + influence ** exponent, 0)
    const acceleration = power(2) === 0 ? 0 : power(3) / (6 * power(2) ** 1.5)
    const share = (z: number) => normalBelow(bias + (bias + z) / (1 - acceleration * (bias + z)))
    return between(means, share(normalQuantile(0.025)), share(normalQuantile(0.975)))
  },
  't interval': sets => {
    const { value, error, freedom } = macroMean(sets)
    const half = freedom === null ? 0 : studentQuantile(0.975, freedom) * error
    return { low: value - half, high: value + half }
  },
} as const satisfies Record<string, IntervalMethod>

function resampled(sets: QuerySets, { resamples, seed }: { resamples: number; seed: number }): Float64Array {
  const random = seededRandom(seed)
  const again = (set: readonly number[]) => set.map(() => set[Math.floor(random() * set.length)] ?? 0)
  return Float64Array.from({ length: resamples }, () => mean(sets.map(set => mean(again(set))))).sort()
}

function between(sorted: Float64Array, low: number, high: number): Ends {
  return { low: quantileOfSorted(sorted, low), high: quantileOfSorted(sorted, high) }
}
