/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

const SMALLEST_NORMAL = 2 ** -126

/** The shortest decimal that reads back as the same float32 (six digits always survive unless it is subnormal, nine always suffice). */
export function printFloat32(value: number): string {
  if (value === 0) return printFloat(value)
  const size = Math.abs(value)
  const magnitude = Math.floor(Math.log10(size))
  for (let digits = size < SMALLEST_NORMAL ? 1 : 6; digits <= 9; digits++) {
    const power = EXACT_POWERS[digits - 1 - magnitude]
    // An integer over an exact power is the double nearest to that decimal: far cheaper than printing to find out.
    const shortened = power === undefined ? Number(value.toPrecision(digits)) : Math.round(value * power) / power
    if (Math.fround(shortened) === value) return printFloat(shortened)
  }
  return printFloat(Number(value.toPrecision(9)))
}

/** A float64 as Rust's serde_json spells it: whole values keep `.0`, exponents below 1e-5 and from 1e16. */
export function printFloat(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-5 || size >= 1e16)) return value.toExponential().replace('e+', 'e')
  return Number.isInteger(value) ? `${Object.is(value, -0) ? '-0' : value}.0` : String(value)
}
