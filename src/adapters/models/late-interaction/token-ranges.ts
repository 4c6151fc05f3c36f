import type { Span } from '../../../core/types.ts'

/**
 * The tokens of each part of a text. The text is encoded in pieces, which are cut where a part begins or ends, because the tokenizer does not tell where a token stands.
 * @param whole the tokens of the text
 * @param parts ranges in UTF-16 code units, in the order of the text, that do not overlap
 * @returns ranges of tokens; null when the pieces do not have the tokens of the text
 */
export function rangesOfTokens(
  encode: (text: string) => readonly number[],
  text: string,
  whole: readonly number[],
  parts: readonly Span[],
): Span[] | null {
  const ranges: Span[] = []
  let tokens = 0
  let place = 0
  const readTo = (end: number): number => {
    const piece = encode(text.slice(place, end))
    const isSame = piece.every((id, at) => whole[tokens + at] === id)
    place = end
    tokens = isSame ? tokens + piece.length : Number.NaN
    return tokens
  }
  for (const { start, end } of parts) {
    const from = readTo(start)
    ranges.push({ start: from, end: readTo(end) })
  }
  return readTo(text.length) === whole.length ? ranges : null
}
