/** Characters that end a line, move a cursor, change colours or turn the direction of the text around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that are meant
const CONTROL = /[\0-\x08\n-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/gu

/** A text in one line: white space and control characters become spaces. */
export function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/**
 * A stored name or a name of a file as a part of one line, on a terminal or in an answer in words. Control characters are escaped as in JSON.
 * @param longest most characters of the name; the rest becomes `…`
 */
export function printable(name: string, longest = Number.POSITIVE_INFINITY): string {
  const shown = name.length > longest ? `${name.slice(0, longest)}…` : name
  return shown.replace(CONTROL, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same but the ends of lines and the tab, which texts of several lines have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that are meant
const CONTROL_IN_LINES = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/gu

/** The text of a document or a question as a terminal may get it: what it would obey becomes U+FFFD, and lines stay. */
export function terminalText(text: string): string {
  return text.replace(CONTROL_IN_LINES, '\uFFFD')
}

/** `2,000`. */
export const shownNumber = (value: number): string => value.toLocaleString('en')

/**
 * `1 chunk`, `2,000 chunks`.
 * @param one what follows the number 1: a noun, or a noun with its verb
 * @param many what follows the others
 */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${shownNumber(value)} ${value === 1 ? one : many}`
}
