/** The offset at or just before `at` that does not part the two halves of a surrogate pair. */
export function codePointStart(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at
}

/** The first `length` UTF-16 code units, one fewer where that would part a surrogate pair. */
export function prefixOf(text: string, length: number): string {
  return text.slice(0, codePointStart(text, length))
}

/**
 * The longest prefix that fits, cut between code points and found by bisection: about 20 questions for a megabyte.
 * Where a longer prefix may fit although a shorter one does not (token counts do not grow evenly: a cut inside a word may
 * cost more than the whole word), the result fits but need not be the very longest. A text that fits whole is kept whole.
 */
export function longestPrefix(text: string, fits: (prefix: string) => boolean): string {
  if (fits(text)) return text
  let fitting = 0
  let over = text.length + 1
  while (over - fitting > 1) {
    const middle = (fitting + over) >> 1
    if (fits(prefixOf(text, middle))) fitting = middle
    else over = middle
  }
  return prefixOf(text, fitting)
}
