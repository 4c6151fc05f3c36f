/** A line of bold text alone: a caption, the name of a file above its code, or a heading by hand. */
const BOLD_LINE = /^\s*(\*\*|__)(?:(?!\1)[^\n]){1,200}\1\s*$/

/** Whether a text is one line of bold text and nothing else. */
export function isBoldLine(text: string): boolean {
  return BOLD_LINE.test(text)
}
