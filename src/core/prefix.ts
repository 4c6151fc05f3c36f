import { finish, inOneStep, type Steps } from './steps.ts'

/** Shorter equal texts at the border of two chunks may be chance: "is 1" before "10 requests", or two rows of a table. */
const LEAST_OVERLAP = 12
/** No splitter repeats more than this of the chunk before, in UTF-16 code units. */
const MOST_OVERLAP = 8_000

/** Longest start of a question that rules of words and patterns read, in UTF-16 code units. What people ask is shorter. */
export const LONGEST_READ_QUESTION = 1_000

/** Returns `at`, or `at - 1` when `at` is inside a surrogate pair. */
export function codePointStart(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at
}

const PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g

/** Number of code points of a text, which are the characters of Python. */
export function countCodePoints(text: string): number {
  return text.length - (text.match(PAIRS)?.length ?? 0)
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

/**
 * How much of the start of `next` repeats the end of `text`, in UTF-16 code units: the longest suffix of one that is a prefix of the other, by the prefix
 * function of Knuth, Morris and Pratt (1977), in linear time. 0 when it is shorter than 12.
 */
export function repeatedLength(text: string, next: string): number {
  const prefix = next.slice(0, MOST_OVERLAP)
  const borders = bordersOf(prefix)
  let matched = 0
  for (let at = Math.max(0, text.length - MOST_OVERLAP); at < text.length; at++) {
    const unit = text[at]
    while (matched > 0 && (matched === prefix.length || prefix[matched] !== unit)) matched = borders[matched] ?? 0
    if (prefix[matched] === unit) matched++
  }
  return matched >= LEAST_OVERLAP ? matched : 0
}

/** Of each start of a text, the length of its longest proper suffix that is a prefix too. */
function bordersOf(prefix: string): Int32Array {
  const borders = new Int32Array(prefix.length + 1)
  for (let at = 1, border = 0; at < prefix.length; at++) {
    while (border > 0 && prefix[at] !== prefix[border]) border = borders[border] ?? 0
    if (prefix[at] === prefix[border]) border++
    borders[at + 1] = border
  }
  return borders
}
