import { studentQuantile } from './distributions.ts'
import { macroMean, type QuerySets } from './macro-mean.ts'

/**
 * The smallest true mean difference that a paired test of these queries would have found with the given power: (t(1 − level/2) + t(power))
 * · standard error, with the degrees of freedom of `macroMean` (Cohen 1988, with t in place of z). It uses the spread of the
 * differences and not their mean.
 * @param sets `sets[s][q]` is the difference on query q of set s
 * @param options `power`: probability that a test finds the effect, in (0,1); `level`: two-sided significance level of the test, in (0,1).
 * With Holm's correction for k rules, the level ÷ k holds for each of them
 * @returns in units of the differences, above 0; null when the differences of each set are equal, because then their spread is unknown
 * @throws RangeError when a set has no queries, or when a difference is not finite
 */
export function smallestEffect(sets: QuerySets, { power = 0.8, level = 0.05 } = {}): number | null {
  const { error, freedom } = macroMean(sets)
  if (freedom === null) return null
  return (studentQuantile(1 - level / 2, freedom) + studentQuantile(power, freedom)) * error
}
