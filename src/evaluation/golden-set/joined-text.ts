import type { Chunk } from '../../core/types.ts'

/** In UTF-16 units. An offset beyond it is not one of a text. */
const LONGEST_DOCUMENT = 2 ** 24

interface PlacedText {
  text: string
  start: number
  end: number
}

/** The text of chunks in the order of the document. What a chunk repeats from the one before it stands there once, when offsets are known. */
export function joinedText(chunks: readonly Chunk[]): string {
  const placed = placedTexts(chunks)
  if (placed !== null) return joinPlaced(placed)
  return [...chunks]
    .sort((left, right) => (left.orderIndex ?? 0) - (right.orderIndex ?? 0))
    .map(({ text }) => text)
    .join('\n\n')
}

/**
 * The text of the document with every character at its offset. What no chunk holds is spaces. Null when it cannot be known: a chunk has no
 * offsets, or two chunks differ where they overlap, so their offsets count something else, or they belong to two documents of one id.
 */
export function textAtOffsets(chunks: readonly Chunk[]): string | null {
  const placed = placedTexts(chunks)
  if (placed === null || placed.some(({ end }) => end > LONGEST_DOCUMENT)) return null
  const parts: string[] = []
  let last: PlacedText = { text: '', start: 0, end: 0 }
  for (const chunk of placed) {
    const { text, start, end } = chunk
    const shared = Math.min(text.length, Math.max(0, last.end - start))
    const before = start - last.start
    if (text.slice(0, shared) !== last.text.slice(before, before + shared)) return null
    if (end <= last.end) continue
    parts.push(' '.repeat(Math.max(0, start - last.end)), text.slice(shared))
    last = chunk
  }
  return parts.join('')
}

/** The text of a range of the document, as far as the chunks hold it; null when they have no offsets. */
export function textBetween(chunks: readonly Chunk[], start: number, end: number): string | null {
  const placed = placedTexts(chunks)
  if (placed === null) return null
  const inside = placed.flatMap(chunk => {
    const [from, to] = [Math.max(start, chunk.start), Math.min(end, chunk.end)]
    return from >= to ? [] : [{ text: chunk.text.slice(from - chunk.start, to - chunk.start), start: from, end: to }]
  })
  return joinPlaced(inside)
}

/** The chunks with their ranges, in order; null when one has no range. */
function placedTexts(chunks: readonly Chunk[]): PlacedText[] | null {
  const placed = chunks.flatMap(({ text, charStart, charEnd }) => {
    if (charStart === null) return []
    const length = charEnd === null ? text.length : Math.min(text.length, charEnd - charStart)
    // The head of a table that stands in front of a chunk is not part of its range.
    return [{ text: text.slice(text.length - length), start: charStart, end: charStart + length }]
  })
  if (placed.length < chunks.length) return null
  return placed.sort((left, right) => left.start - right.start || left.end - right.end)
}

function joinPlaced(texts: readonly PlacedText[]): string {
  let joined = ''
  let covered: number | null = null
  for (const { text, start, end } of texts) {
    if (covered !== null && end <= covered) continue
    // What lies between two chunks is white space, and headings that ingest stores in fields of their own.
    const repeated: number = covered === null ? 0 : Math.max(0, covered - start)
    joined += (covered !== null && start > covered ? '\n\n' : '') + text.slice(repeated)
    covered = end
  }
  return joined
}
