// Written without spaces, so each sign is a word of its own.
const UNSPACED = String.raw`[\p{Ideographic}\p{sc=Hira}\p{sc=Kana}]`
const WORD_SOURCE = String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}])+`
const WORD = new RegExp(WORD_SOURCE, 'gu')
/** What the measures call a token: a word or a run of one sign. No model's tokenizer, so that figures compare across models. */
const TOKEN = new RegExp(String.raw`${WORD_SOURCE}|(\S)\1*`, 'gu')

/** Range in UTF-16 code units, end exclusive. */
export interface Range {
  start: number
  end: number
}

/** Part of a document that stands in a packed context. */
export interface PackedSpan extends Range {
  docId: string
}

/** Ranges of the tokens of `text`, shifted by `offset`. */
export function tokenRanges(text: string, offset = 0): Range[] {
  return Array.from(text.matchAll(TOKEN), match => ({
    start: offset + match.index,
    end: offset + match.index + match[0].length,
  }))
}

/** Lower-cased words (and ideographs) of `text`, signs left out. */
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(WORD), match => match[0].toLowerCase())
}

/** The union of the ranges: sorted, disjoint, touching ones joined. */
export function unionOf(ranges: readonly Range[]): Range[] {
  const union: Range[] = []
  for (const range of [...ranges].sort((left, right) => left.start - right.start)) {
    const last = union.at(-1)
    if (last && range.start <= last.end)
      union[union.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else if (range.end > range.start) union.push({ start: range.start, end: range.end })
  }
  return union
}

/** How many tokens of `text` between `from.start` and `from.end` lie wholly inside one range of the union. */
export function tokensInside(text: string, from: Range, union: readonly Range[]): { inside: number; total: number } {
  const tokens = tokenRanges(text.slice(from.start, from.end), from.start)
  const inside = tokens.filter(token =>
    union.some(range => range.start <= token.start && token.end <= range.end),
  ).length
  return { inside, total: tokens.length }
}

/**
 * The spans as far as their text really stands in the context, white space aside: a span that was cut, or that the renderer mangled, keeps
 * only its longest prefix found there. `lost` counts the characters that were claimed and not found. Meant for renderings that do not escape text.
 */
export function standingSpans(
  spans: readonly PackedSpan[],
  texts: ReadonlyMap<string, string>,
  context: string,
): { spans: PackedSpan[]; lost: number } {
  const folded = fold(context)
  const standing: PackedSpan[] = []
  let lost = 0
  for (const span of spans) {
    const claimed = (texts.get(span.docId) ?? '').slice(span.start, span.end)
    const length = foundLength(claimed, folded)
    if (length > 0) standing.push({ ...span, end: span.start + length })
    lost += fold(claimed.slice(length)).length
  }
  return { spans: standing, lost }
}

/** Length of the longest prefix of `claimed` that stands in `folded`; a prefix of a prefix that stands, stands. */
function foundLength(claimed: string, folded: string): number {
  if (folded.includes(fold(claimed))) return claimed.length
  let found = 0
  let missing = claimed.length
  while (missing - found > 1) {
    const middle = (found + missing) >> 1
    if (folded.includes(fold(claimed.slice(0, middle)))) found = middle
    else missing = middle
  }
  return found
}

function fold(text: string): string {
  return text.replace(/\s+/g, '')
}
