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
  let digits = size < SMALLEST_NORMAL ? 1 : 6
  while (digits < 9 && Math.fround(toDigits(size, digits)) !== size) digits++
  return spell(Math.sign(single) * toDigits(size, digits), PLAIN_FLOAT32)
}

/** The nearest decimal of so many digits, ties to even. */
function toDigits(size: number, digits: number): number {
  const power = EXACT_POWERS[digits - 1 - Math.floor(Math.log10(size))]
  // A float32 of this size never lies halfway between two such decimals.
  if (power === undefined) return Number(size.toPrecision(digits))
  // An integer over an exact power is the double nearest to that decimal, and far cheaper than printing.
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
