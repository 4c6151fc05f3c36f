/** Prints floats like Qdrant. Rust's serde_json uses the fewest digits that read back as the same value. */

/** Powers of ten that a double holds exactly. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/** Qdrant refuses larger numbers in vectors. */
export const LARGEST_FLOAT32 = (2 - 2 ** -23) * 2 ** 127
const SMALLEST_NORMAL = 2 ** -126

/** Magnitudes from the first bound to below the second are printed without an exponent. */
const PLAIN_FLOAT32 = [1e-6, 1e13] as const
const PLAIN_FLOAT64 = [1e-5, 1e16] as const

/**
 * Prints a number rounded to float32. Every normal float32 keeps 6 significant digits, and 9 always identify it. The powers
 * 2^-96, 2^87 and 2^90 get one digit more than in Qdrant.
 */
export function printFloat32(value: number): string {
  const single = Math.fround(value)
  const size = Math.abs(single)
  if (size === 0 || !Number.isFinite(size)) return spell(single, PLAIN_FLOAT32)
  let digits = size < SMALLEST_NORMAL ? 1 : 6
  while (digits < 9 && Math.fround(toDigits(size, digits)) !== size) digits++
  return spell(Math.sign(single) * toDigits(size, digits), PLAIN_FLOAT32)
}

/** Rounds to a number of significant digits, ties to even. */
function toDigits(size: number, digits: number): number {
  const power = EXACT_POWERS[digits - 1 - Math.floor(Math.log10(size))]
  // A float32 of this size never lies halfway between two such decimals.
  if (power === undefined) return Number(size.toPrecision(digits))
  // The quotient of an integer and an exact power is the nearest double to that decimal. This is much faster than printing.
  const scaled = size * power
  const rounded = Math.round(scaled)
  const isOddTie = rounded - scaled === 0.5 && rounded % 2 === 1
  return (isOddTie ? rounded - 1 : rounded) / power
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
