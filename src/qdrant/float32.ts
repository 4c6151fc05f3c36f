/** Floats as Qdrant prints them: Rust's serde_json spells them with the shortest digits that read back as the same value. */

/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

const SMALLEST_NORMAL = 2 ** -126

/** Sizes from the first bound on and below the second are spelled without an exponent. */
const PLAIN_FLOAT32 = [1e-6, 1e13] as const
const PLAIN_FLOAT64 = [1e-5, 1e16] as const

/**
 * A float32 (other numbers are rounded to one). Six digits always survive the way through a normal float32, and nine always
 * suffice. The powers 2^-96, 2^87 and 2^90 get one digit more than Qdrant gives them.
 */
export function printFloat32(value: number): string {
  const single = Math.fround(value)
  const size = Math.abs(single)
  if (size === 0 || !Number.isFinite(size)) return spell(single, PLAIN_FLOAT32)
  const magnitude = Math.floor(Math.log10(size))
  for (let digits = size < SMALLEST_NORMAL ? 1 : 6; digits < 9; digits++) {
    const power = EXACT_POWERS[digits - 1 - magnitude]
    // An integer over an exact power is the double nearest to that decimal, and far cheaper than printing.
    const shortened = power === undefined ? Number(single.toPrecision(digits)) : Math.round(single * power) / power
    if (Math.fround(shortened) === single) return spell(shortened, PLAIN_FLOAT32)
  }
  return spell(Number(single.toPrecision(9)), PLAIN_FLOAT32)
}

export function printFloat64(value: number): string {
  return spell(value, PLAIN_FLOAT64)
}

function spell(value: number, [least, most]: readonly [number, number]): string {
  // JSON has no infinity; serde_json prints null.
  if (!Number.isFinite(value)) return 'null'
  const size = Math.abs(value)
  if (size !== 0 && (size < least || size >= most)) return value.toExponential().replace('e+', 'e')
  return Number.isInteger(value) ? `${Object.is(value, -0) ? '-0' : value}.0` : String(value)
}
