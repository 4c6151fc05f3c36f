import { normalBelow, normalQuantile, studentBelow } from '../../../statistics/distributions.ts'
import { type Estimate, freedomOf } from '../unit-sums.ts'

/** Beyond this many standard errors the distribution functions have no digits left, and need none. */
const FAR = 8
const WIDER = 8
/** The ratio is at most 2 · exp(t² / 2), so smaller t values are not worth the work: they give less than 15. */
const LEAST_T = 2

/**
 * Evidence that `treatment` has a higher mean than `control`, which holds under looks at any time: the natural logarithm of a likelihood
 * ratio whose probability to ever reach ln(1 / alpha) is at most alpha when the treatment is not higher.
 *
 * It is the mixture sequential probability ratio test (Robbins 1970; Johari, Koomen, Pekelis & Walsh 2022) with a half-normal mixture
 * of effects, which is the one-sided normal mixture boundary of Howard, Ramdas, McAuliffe & Sekhon ("Time-uniform, nonparametric,
 * nonasymptotic confidence sequences", Annals of Statistics 2021, Proposition 6). The variance is estimated, so the bound is an
 * asymptotic one (Waudby-Smith et al., "Time-uniform central limit theory and asymptotic confidence sequences", 2024). For the small
 * samples at the beginning the t value is turned into the z value of the same probability first.
 *
 * @param effect the difference for which the test is fastest. A second mixture, for effects that are WIDER times as large, finds a
 * disaster in few units. Both change the power only: the mean of two such ratios is one, too.
 * @returns -Infinity as long as nothing can be said
 */
export function evidenceOfMore(treatment: Estimate, control: Estimate, effect: number): number {
  if (treatment.variance === null || control.variance === null) return Number.NEGATIVE_INFINITY
  const variance = Math.max(treatment.variance + control.variance, pooledVariance(treatment, control))
  const difference = treatment.value - control.value
  if (!(difference >= LEAST_T * Math.sqrt(variance)) || variance === 0) return Number.NEGATIVE_INFINITY
  const z = normalised(difference / Math.sqrt(variance), freedomOf(treatment, control))
  const ratios = [effect, WIDER * effect].map(scale => logRatio(z, (scale * scale) / variance))
  const highest = Math.max(...ratios)
  return highest + Math.log(ratios.reduce((sum, ratio) => sum + Math.exp(ratio - highest), 0) / ratios.length)
}

/**
 * Variance of the difference when both sides have the variance of all units together, as without a difference. It is the larger one when the
 * side with more units varies more. The variance of a small control alone is too small exactly when few of its units fail by chance.
 */
function pooledVariance(treatment: Estimate, control: Estimate): number {
  const [ours, theirs] = [treatment.effectiveUnits, control.effectiveUnits]
  return ((treatment.variance ?? 0) * ours * ours + (control.variance ?? 0) * theirs * theirs) / (ours * theirs)
}

/** Logarithm of the likelihood ratio of a half-normal mixture. `information`: its squared scale over the variance of the difference. */
function logRatio(z: number, information: number): number {
  const weight = information / (1 + information)
  return Math.log(2) - Math.log1p(information) / 2 + (z * z * weight) / 2 + Math.log(normalBelow(z * Math.sqrt(weight)))
}

/** The z value with the same one-sided probability as `t`. */
function normalised(t: number, freedom: number): number {
  if (freedom >= 1_000) return t
  return Math.min(FAR, -normalQuantile(Math.max(studentBelow(-t, freedom), 1e-15)))
}
