/** Names of fonts, in PDF and in Word. "Monotype" is a maker. */
const MONOSPACED =
  /mono(?!type)|courier|consol|typewriter|menlo|monaco|inconsolata|lucida ?console|source ?code|fira ?code|cascadia|gyrecursor|cousine|cmtt|ectt|sftt|fixed/i
/** Other fonts of TeX have short names, too: `t1xbtt`, `lmtt10`. `cmvtt10` is proportional. */
const MONOSPACED_OF_TEX = /(?:^|\+)(?!cmvtt)[a-z\d]{1,5}tt(?:i|sl|c)?\d{0,4}$/

/** Monospaced text is code where at least this share of the text is not: else the document is set in such a font. */
const LEAST_PROSE = 0.2

/** Whether each letter of a font takes the same width, by its name. */
export function isMonospacedFont(name: string): boolean {
  return MONOSPACED.test(name) || MONOSPACED_OF_TEX.test(name)
}

/** Whether monospaced text is code, from the letters of a document that are in such a font. */
export function isCodeMonospaced(monospaced: number, letters: number): boolean {
  return letters - monospaced >= LEAST_PROSE * letters
}
