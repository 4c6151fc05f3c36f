import { getOrInsert } from '../../core/collections.ts'
/**
 * Sums over units, from which the mean over requests and its variance follow. A unit has `n` requests with the sum `s` of their values:
 * a request that has no value of the measure does not count in `n`.
 */
export interface UnitSums {
  /** Units with at least one value. */
  units: number
  n: number
  s: number
  nn: number
  ns: number
  ss: number
}

/** What the sums of one unit are before its first value. */
export interface Unit {
  n: number
  s: number
}

export function emptySums(): UnitSums {
  return { units: 0, n: 0, s: 0, nn: 0, ns: 0, ss: 0 }
}

/** Adds one value of a unit, to the unit and to the sums. Nothing is ever subtracted, so the sums do not lose digits. */
export function addValue(sums: UnitSums, unit: Unit, value: number): void {
  if (unit.n === 0) sums.units += 1
  sums.n += 1
  sums.s += value
  sums.nn += 2 * unit.n + 1
  sums.ns += unit.s + value * (unit.n + 1)
  sums.ss += 2 * unit.s * value + value * value
  unit.n += 1
  unit.s += value
}

/** The sums of values, each with the number of its unit. */
export function sumsOf(values: readonly number[], unitOfEach: readonly number[]): UnitSums {
  const sums = emptySums()
  const units = new Map<number, Unit>()
  values.forEach((value, index) => {
    const unit = getOrInsert(units, unitOfEach[index] ?? 0, () => ({ n: 0, s: 0 }))
    addValue(sums, unit, value)
  })
  return sums
}

/** A sum of squares that is smaller than this share of its parts is what rounding has left of 0. */
const ROUNDING = 1e-12

/** A mean over requests. */
export interface Estimate {
  value: number
  /** Variance of the value; null with fewer than two units. */
  variance: number | null
  units: number
  /**
   * Number of units of equal size that would tell as much: (Σn)² / Σn² (Kish 1965). One tenant with nearly all requests counts as
   * about one, however many others there are.
   */
  effectiveUnits: number
  requests: number
}

/**
 * The mean over all requests, and its variance by the delta method for a ratio of two means over units (Deng, Knoblich & Lu, "Applying
 * the Delta Method in Metric Analytics", KDD 2018): the units are independent, the requests of one unit are not.
 * `deviation` is the most by which a single unit can plausibly differ from the rest, in units of the value. When all units are equal, the
 * variance is (1.5 · deviation / units)²: no failure at all among `units` gives an upper limit of about 3 / units (the rule of three,
 * Hanley & Lippman-Hand 1983) and not certainty. Else the variance is that of one more deviating request, because the few failures of
 * a small sample tell too little of their variance (as in Agresti & Coull 1998).
 */
export function meanOf({ units, n, s, nn, ns, ss }: UnitSums, deviation = 0): Estimate {
  const value = s / n
  const residuals = ss - 2 * value * ns + value * value * nn
  const equal = residuals <= ROUNDING * (ss + value * value * nn)
  const spread = equal
    ? ((1.5 * deviation) / units) ** 2
    : ((units / (units - 1)) * residuals + deviation * deviation) / (n * n)
  return { value, variance: units < 2 ? null : spread, units, effectiveUnits: n === 0 ? 0 : (n * n) / nn, requests: n }
}

/** Degrees of freedom by Welch and Satterthwaite, with effective units in place of units. */
export function freedomOf(left: Estimate, right: Estimate): number {
  const [a, b] = [left.variance ?? 0, right.variance ?? 0]
  const parts = (a * a) / Math.max(left.effectiveUnits - 1, 1) + (b * b) / Math.max(right.effectiveUnits - 1, 1)
  return parts > 0 ? (a + b) ** 2 / parts : Math.max(left.effectiveUnits + right.effectiveUnits - 2, 1)
}
