import { normalQuantile, studentQuantile, studentTwoSided } from '../../statistics/distributions.ts'
import { mean } from '../../statistics/sample.ts'
import type { ClusteredQuantile } from './quantile.ts'
import { type Estimate, freedomOf } from './unit-sums.ts'

/** Level of the intervals, two-sided. */
const LEVEL = 0.05
const POWER = 0.8
/** Smallest p value that the search for the p value of two quantiles tells. */
const LEAST_P = 1e-12

/** How a treatment differs from the control. Relative lifts are shares of the control: 0.2 is 20 % more. */
export interface Lift {
  control: number
  treatment: number
  lift: number
  /** Ends of the 95 % interval; infinite when the requests are too few for an end. */
  low: number
  high: number
  /** Two-sided p value of no difference. */
  p: number
  /** Standard error on the scale of the test: of the difference, or of the logarithm of the ratio. */
  error: number
}

/**
 * Difference of two means over requests, by Welch's t test on the variances between units (`meanOf`).
 * @returns null when a side has fewer than two units
 */
export function differenceOf(treatment: Estimate, control: Estimate): Lift | null {
  if (treatment.variance === null || control.variance === null) return null
  const lift = treatment.value - control.value
  const error = Math.sqrt(treatment.variance + control.variance)
  const { half, p } = welch(lift, error, freedomOf(treatment, control))
  return { control: control.value, treatment: treatment.value, lift, low: lift - half, high: lift + half, p, error }
}

/**
 * Relative change of two positive means, by Welch's t test on their logarithms; var(log m) = var(m) / m² (delta method).
 * @returns null when a side has fewer than two units, or a mean is 0
 */
export function changeOf(treatment: Estimate, control: Estimate): Lift | null {
  if (treatment.variance === null || control.variance === null || !(treatment.value > 0) || !(control.value > 0))
    return null
  const onLogs = (estimate: Estimate) => ({
    ...estimate,
    variance: (estimate.variance ?? 0) / estimate.value ** 2,
  })
  const [ours, theirs] = [onLogs(treatment), onLogs(control)]
  const log = Math.log(treatment.value / control.value)
  const error = Math.sqrt(ours.variance + theirs.variance)
  const { half, p } = welch(log, error, freedomOf(ours, theirs))
  return {
    control: control.value,
    treatment: treatment.value,
    lift: Math.expm1(log),
    low: Math.expm1(log - half),
    high: Math.expm1(log + half),
    p,
    error,
  }
}

/**
 * Relative change of a quantile. The two intervals of the quantiles are joined on the logarithmic scale by the method of variance
 * estimates recovery (Zou & Donner 2008), which keeps their skewness. The p value is the level at which the joined interval touches 0.
 * @returns null when a side has fewer than two units
 */
export function quantileChangeOf(treatment: ClusteredQuantile, control: ClusteredQuantile): Lift | null {
  if (treatment.effectiveUnits < 2 || control.effectiveUnits < 2) return null
  const [ours, theirs] = [Math.log(treatment.value), Math.log(control.value)]
  const log = ours - theirs
  const ends = (level: number) => {
    const at = (quantile: ClusteredQuantile) =>
      quantile.interval(studentQuantile(1 - level / 2, quantile.effectiveUnits - 1)).map(Math.log) as [number, number]
    const [[low, high], [lowControl, highControl]] = [at(treatment), at(control)]
    return {
      low: log - Math.hypot(ours - low, highControl - theirs),
      high: log + Math.hypot(high - ours, theirs - lowControl),
    }
  }
  const touches = (level: number) => {
    const { low, high } = ends(level)
    return low <= 0 && high >= 0
  }
  const { low, high } = ends(LEVEL)
  const width = Math.min(high - log, log - low) < Number.POSITIVE_INFINITY ? finiteWidth(log, low, high) : Number.NaN
  return {
    control: control.value,
    treatment: treatment.value,
    lift: Math.expm1(log),
    low: Math.expm1(low),
    high: Math.expm1(high),
    p: lastLevel(touches),
    error: width / normalQuantile(1 - LEVEL / 2),
  }
}

/**
 * Units of the treatment at which an experiment with the present split shows `effect`, on the scale of `error`, with 80 % power at the 5 %
 * level: n = units · ((z(.975) + z(.8)) · error / effect)². As many are needed to exclude the effect when there is none.
 */
export function neededUnits(units: number, error: number, effect: number): number {
  return Math.ceil(units * (((normalQuantile(1 - LEVEL / 2) + normalQuantile(POWER)) * error) / effect) ** 2)
}

function welch(difference: number, error: number, freedom: number): { half: number; p: number } {
  if (error === 0) return { half: 0, p: difference === 0 ? 1 : 0 }
  return {
    half: error * studentQuantile(1 - LEVEL / 2, freedom),
    p: studentTwoSided(difference / error, freedom),
  }
}

/** Half the width of the interval, by its finite ends. */
function finiteWidth(middle: number, low: number, high: number): number {
  const halves = [middle - low, high - middle].filter(Number.isFinite)
  return mean(halves)
}

/** The largest level in [1e-12, 1] whose interval contains no difference, by bisection of its logarithm. */
function lastLevel(touches: (level: number) => boolean): number {
  let [inside, outside] = [Math.log(LEAST_P), 0]
  if (touches(1)) return 1
  if (!touches(LEAST_P)) return LEAST_P
  for (let round = 0; round < 25; round++) {
    const middle = (inside + outside) / 2
    if (touches(Math.exp(middle))) inside = middle
    else outside = middle
  }
  return Math.exp(inside)
}
