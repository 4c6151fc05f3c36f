/** Names of fonts, in PDF and in Word: those of TeX are short. "Monotype" is a maker. */
const MONOSPACED =
  /mono(?!type)|courier|consol|typewriter|menlo|monaco|inconsolata|lucida ?console|source ?code|fira ?code|cmtt|ectt|sftt|fixed/i

/** Monospaced text is code where at least this share of the text is not: else the document is set in such a font. */
const LEAST_PROSE = 0.2

/** Whether each letter of a font takes the same width, by its name. */
export function isMonospacedFont(name: string): boolean {
  return MONOSPACED.test(name)
}

/** Whether monospaced text is code, from the letters of a document that are in such a font. */
export function isCodeMonospaced(monospaced: number, letters: number): boolean {
  return letters - monospaced >= LEAST_PROSE * letters
}
