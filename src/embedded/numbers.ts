/** The shortest decimal that reads back as the same float32 (six digits always survive, nine always suffice). */
export function printFloat32(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const shortened = Number(value.toPrecision(digits))
    if (Math.fround(shortened) === Math.fround(value)) return printFloat(shortened)
  }
  return printFloat(Number(value.toPrecision(9)))
}

/** A float64 as Rust's serde_json spells it: whole values keep `.0`, exponents below 1e-5 and from 1e16. */
export function printFloat(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-5 || size >= 1e16)) return value.toExponential().replace('e+', 'e')
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
