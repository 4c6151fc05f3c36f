import { finish, inOneStep, type Steps } from './steps.ts'

/** Returns `at`, or `at - 1` when `at` is inside a surrogate pair. */
export function codePointStart(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at
}

/** The first `length` UTF-16 code units, one fewer when the cut would split a surrogate pair. */
export function prefixOf(text: string, length: number): string {
  return text.slice(0, codePointStart(text, length))
}

/**
 * Finds the longest prefix that fits by bisection, with about 20 calls of `fits` for a megabyte. Cuts between code points.
 * A cut inside a word can cost more tokens than the whole word, so a slightly longer prefix may fit too.
 */
export function longestPrefix(text: string, fits: (prefix: string) => boolean): string {
  return finish(longestPrefixInSteps(text, prefix => inOneStep(() => fits(prefix))))
}

/** `longestPrefix` in steps. */
export function* longestPrefixInSteps(text: string, fits: (prefix: string) => Steps<boolean>): Steps<string> {
  if (yield* fits(text)) return text
  let fitting = 0
  let over = text.length + 1
  while (over - fitting > 1) {
    const middle = (fitting + over) >> 1
    if (yield* fits(prefixOf(text, middle))) fitting = middle
    else over = middle
  }
  return prefixOf(text, fitting)
}
