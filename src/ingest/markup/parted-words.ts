/** The hyphen at which groff parts a word, the indentation of the next line, the rest of the word, and what follows that. */
const PARTED = /(?<=\p{L})\u2010[ \t]*\n([ \t]*)(\p{L}[^\s\u2010]*)([ \t]*\n|[ \t]+)?/gu

/** Joins words that a hyphen of their own sign (U+2010) parts at the end of a line; the rest of a word moves up to its beginning. */
export function joinParted(text: string): string {
  return text.replace(PARTED, (_, indent: string, rest: string, after: string | undefined) => {
    if (after === undefined) return rest
    return after.includes('\n') ? `${rest}\n` : `${rest}\n${indent}`
  })
}
