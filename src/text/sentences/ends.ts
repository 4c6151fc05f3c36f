const BLANK_LINE = /\n[^\S\n]*\n/u

/*
 * Both look at the white space at the end alone: a pattern that must reach the end is tried at each line break of a text, which takes
 * quadratic time in texts of line breaks.
 */

/** Whether a line break ends a text; other white space may stand beside it. */
export function endsLine(text: string): boolean {
  return whiteSpaceAtEnd(text).includes('\n')
}

/** Whether a blank line ends a text. */
export function endsParagraph(text: string): boolean {
  return BLANK_LINE.test(whiteSpaceAtEnd(text))
}

function whiteSpaceAtEnd(text: string): string {
  return text.slice(text.trimEnd().length)
}
