/**
 * A text of the same length with spaces in place of its comments of HTML, which no reader of the document sees. Not by a pattern, which would look for the end of
 * each comment that has none through the whole text.
 */
export function blankComments(text: string): string {
  let blanked = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start < 0 ? -1 : text.indexOf('-->', start + 4)
    if (end < 0) return blanked + text.slice(from)
    blanked += text.slice(from, start) + ' '.repeat(end + 3 - start)
    from = end + 3
  }
}
