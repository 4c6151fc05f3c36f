import type { Span } from '../../core/types.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import { WORD_SOURCE } from './reference-words.ts'

/** A token of the measures: a word, or a run of one sign. It belongs to no model, so that figures are comparable across models. */
const TOKEN = new RegExp(String.raw`${WORD_SOURCE}|(\S)\1*`, 'gu')

/** Ranges of the tokens of `text`, shifted by `offset`. */
export function tokenRanges(text: string, offset = 0): Span[] {
  return Array.from(text.matchAll(TOKEN), match => ({
    start: offset + match.index,
    end: offset + match.index + match[0].length,
  }))
}

/** The tokens of a range of a document. @param texts the documents by id */
export function tokensAt({ docId, start, end }: DocumentSpan, texts: ReadonlyMap<string, string>): Span[] {
  return tokenRanges((texts.get(docId) ?? '').slice(start, end), start)
}

export function isInside(token: Span, ranges: readonly Span[]): boolean {
  return ranges.some(({ start, end }) => start <= token.start && token.end <= end)
}

/**
 * Finds the text of the spans in the context, ignoring white space, backslashes, which the Markdown rendering adds, and `>`, which it leaves
 * out where a line of a quotation is blank. A span that was cut or changed keeps only its longest run of leading tokens that is in the
 * context; `lost` counts the others. Other escapes are not known.
 */
export function foundSpans(
  spans: readonly DocumentSpan[],
  texts: ReadonlyMap<string, string>,
  context: string,
): { spans: DocumentSpan[]; lost: number } {
  const solid = solidText(context)
  // Only a span that was cut or changed needs it.
  let spaced: string | null = null
  const found: DocumentSpan[] = []
  let lost = 0
  for (const span of spans) {
    const text = (texts.get(span.docId) ?? '').slice(span.start, span.end)
    if (text !== '' && solid.includes(solidText(text))) {
      found.push(span)
      continue
    }
    const tokens = shownTokens(text)
    spaced ??= ` ${wordsAt(shownTokens(context), context).join(' ')} `
    const run = leadingRun(wordsAt(tokens, text), spaced)
    const last = tokens[run - 1]
    if (last) found.push({ ...span, end: span.start + last.end })
    lost += tokens.length - run
  }
  return { spans: found, lost }
}

/** Length of the longest run of leading words in the spaced text. Bisection finds it: every prefix of a found run is found too. */
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

/** The tokens that are not ignored. */
function shownTokens(text: string): Span[] {
  return tokenRanges(text).filter(({ start }) => text[start] !== '\\' && text[start] !== '>')
}

function wordsAt(ranges: readonly Span[], text: string): string[] {
  return ranges.map(({ start, end }) => text.slice(start, end))
}

function solidText(text: string): string {
  return text.replace(/[\s\\>]+/g, '')
}
