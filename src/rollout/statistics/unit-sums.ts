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
 * `deviation` is the most by which the mean of a single unit can plausibly differ from the rest, in units of the value. It keeps the
 * variance above (1.5 · deviation / units)², so that no failure at all among `units` gives an upper limit of about 3 / units (the
 * rule of three, Hanley & Lippman-Hand 1983) and not certainty.
 */
export function meanOf({ units, n, s, nn, ns, ss }: UnitSums, deviation = 0): Estimate {
  const value = s / n
  const residuals = Math.max(0, ss - 2 * value * ns + value * value * nn)
  const measured = ((units / (units - 1)) * residuals) / (n * n)
  const variance = units < 2 ? null : Math.max(measured, ((1.5 * deviation) / units) ** 2)
  return { value, variance, units, effectiveUnits: n === 0 ? 0 : (n * n) / nn, requests: n }
}
