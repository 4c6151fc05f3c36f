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
 * The spans as far as their text really stands in the context, white space aside: a span that was cut, or that the renderer mangled, keeps only
 * its longest run of leading tokens found there. `lost` counts the tokens that were claimed and not found. For renderings that escape no text.
 */
export function standingSpans(
  spans: readonly PackedSpan[],
  texts: ReadonlyMap<string, string>,
  context: string,
): { spans: PackedSpan[]; lost: number } {
  const solid = withoutSpace(context)
  let spaced: string | null = null
  const standing: PackedSpan[] = []
  let lost = 0
  for (const span of spans) {
    const claimed = (texts.get(span.docId) ?? '').slice(span.start, span.end)
    if (claimed !== '' && solid.includes(withoutSpace(claimed))) {
      standing.push(span)
      continue
    }
    const tokens = tokenRanges(claimed)
    const words = tokens.map(({ start, end }) => claimed.slice(start, end))
    spaced ??= ` ${tokenRanges(context)
      .map(({ start, end }) => context.slice(start, end))
      .join(' ')} `
    const found = leadingRun(words, spaced)
    const last = tokens[found - 1]
    if (last) standing.push({ ...span, end: span.start + last.end })
    lost += words.length - found
  }
  return { spans: standing, lost }
}

/** How many leading words stand in a row in the spaced text; what begins a run that stands, stands, so bisection finds it. */
function leadingRun(words: readonly string[], spaced: string): number {
  let found = 0
  let missing = words.length + 1
  while (missing - found > 1) {
    const middle = (found + missing) >> 1
    if (spaced.includes(` ${words.slice(0, middle).join(' ')} `)) found = middle
    else missing = middle
  }
  return found
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}
