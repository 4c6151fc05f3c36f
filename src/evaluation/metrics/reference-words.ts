import type { Span } from '../../core/types.ts'

// Scripts without spaces between words: each character counts as a word.
const UNSPACED = String.raw`[\p{Ideographic}\p{sc=Hira}\p{sc=Kana}]`
/** Source of a regular expression for a word. */
export const WORD_SOURCE = String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}])+`
const WORD = new RegExp(WORD_SOURCE, 'gu')

/** Ranges of the words and ideographs of `text`, as {@link wordsOf} counts them. */
export function wordRanges(text: string): Span[] {
  return Array.from(text.matchAll(WORD), match => ({ start: match.index, end: match.index + match[0].length }))
}

/** Lower-cased words and ideographs of `text`. */
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(WORD), match => match[0].toLowerCase())
}

/** The union of the ranges, sorted; touching ranges are joined. */
export function unionOf(ranges: readonly Span[]): Span[] {
  const union: Span[] = []
  for (const range of [...ranges].sort((left, right) => left.start - right.start)) {
    const last = union.at(-1)
    if (last && range.start <= last.end)
      union[union.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else if (range.end > range.start) union.push({ start: range.start, end: range.end })
  }
  return union
}
