import type { Span } from '../../core/types.ts'

// Scripts without spaces between words: each character counts as a word.
const UNSPACED = String.raw`[\p{Ideographic}\p{sc=Hira}\p{sc=Kana}]`
/** Source of a regular expression for a word. The sound mark of a decomposed kana belongs to it. */
export const WORD_SOURCE = String.raw`${UNSPACED}[\u3099\u309a]?|(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}])+`
const WORD = new RegExp(WORD_SOURCE, 'gu')

/** Ranges of the words and ideographs of `text`, as {@link wordsOf} counts them. */
export function wordRanges(text: string): Span[] {
  return Array.from(text.matchAll(WORD), match => ({ start: match.index, end: match.index + match[0].length }))
}

/** Lower-cased words and ideographs of `text`. Composed and decomposed letters are equal. */
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(WORD), match => comparableWord(match[0]))
}

/** Equal for texts that differ in case, signs, white space and the composition of letters only. */
export function comparableText(text: string): string {
  return wordsOf(text).join(' ')
}

/** Signs that make another question: those of mathematics and of currencies, and `#`, `%` and `&`. */
const WORD_OR_SIGNS = new RegExp(String.raw`${WORD_SOURCE}|[\p{Sm}\p{Sc}#%&]+`, 'gu')

/**
 * The same for questions: signs that look alike, such as full-width letters, count as equal too (NFKC). Some signs tell two questions
 * apart, as in C, C++ and C#.
 */
export function comparableQuestion(question: string): string {
  return Array.from(question.normalize('NFKC').matchAll(WORD_OR_SIGNS), match => comparableWord(match[0])).join(' ')
}

/** A word as it is compared with others: lower-cased and composed (NFC). */
export function comparableWord(word: string): string {
  return word.toLowerCase().normalize()
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
