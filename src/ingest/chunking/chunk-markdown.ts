import { cutSection, joinPieces, type Piece } from './pieces.ts'
import { readSections } from './sections.ts'

/** One chunk: `text` is exactly `document.text.slice(charStart, charEnd)`. */
export interface DocumentChunk {
  /** Place in the document, counted from 0. */
  orderIndex: number
  /** "A > B > C", empty where the document has no heading. */
  sectionPath: string
  /** The section's header line as it stands in the document, empty where there is none. */
  header: string
  charStart: number
  charEnd: number
  text: string
  /** Tokens of `text`, counted piece by piece (within a few per cent of the count of the whole). */
  tokens: number
}

export interface ChunkOptions {
  /** Size aimed at, in tokens of `count`. */
  targetTokens?: number
  /** Share of the target that a chunk repeats of the one before it in its section, in whole sentences. */
  overlap?: number
  count: (text: string) => number
}

/** A block of tables, lists or code is kept whole up to this many targets. */
const ATOMIC_TARGETS = 3
/** No chunk grows beyond this many targets unless one whole block does. */
const MOST_TARGETS = 1.4
/** A section below this share of the target goes with the subsection that follows it. */
const SMALL_SECTION = 0.2
/** Headings and small sections are not gathered beyond this share of the target. */
const MOST_CARRIED = 0.5
/** A remainder below this share of the target goes with the chunk before it. */
const SMALL_REMAINDER = 0.15
/** One sentence may be repeated up to this share of the target, several only up to the overlap asked for. */
const MOST_OVERLAP = 0.25

/**
 * Cuts a markdown or plain document into chunks along its headings.
 *
 * A chunk never spans two sections, with one exception: a heading with little under it (below a fifth of the target)
 * goes with the first chunk of its first subsection, and a heading with nothing under it with whatever follows; the
 * chunk then carries the path of the later section. Inside a section chunks are about equal in size, end at sentences
 * and rather at paragraphs, keep tables, lists and code whole up to three targets, and repeat the last sentences of
 * the chunk before. Every character that is not white space is in some chunk. Time is near linear in the text.
 */
export function chunkMarkdown(
  document: { docId: string; title: string; text: string },
  options: ChunkOptions,
): DocumentChunk[] {
  const { targetTokens = 200, overlap = 0.12, count } = options
  const limits = { target: targetTokens, atomic: ATOMIC_TARGETS * targetTokens, count }
  const sections = readSections(document.text)
  const chunks: DocumentChunk[] = []
  let carried: Piece | null = null

  for (const [index, section] of sections.entries()) {
    const pieces = cutSection(section, document.text, limits)
    const first = pieces[0]
    if (!first) continue
    const isSmall = sumTokens(pieces) < SMALL_SECTION * targetTokens
    if (carried) pieces[0] = joinPieces(carried, first)
    carried = null

    const next = sections[index + 1]
    const belongsToNext = section.blocks.length === 0 || (isSmall && next !== undefined && next.depth > section.depth)
    if (next && belongsToNext && sumTokens(pieces) < MOST_CARRIED * targetTokens) {
      carried = pieces.reduce(joinPieces)
      continue
    }
    for (const group of groupPieces(pieces, targetTokens, overlap)) {
      const span = trimSpan(document.text, group)
      if (span.start === span.end) continue
      chunks.push({
        orderIndex: chunks.length,
        sectionPath: section.path,
        header: section.header,
        charStart: span.start,
        charEnd: span.end,
        text: document.text.slice(span.start, span.end),
        tokens: sumTokens(group),
      })
    }
  }
  return chunks
}

/** Neighbouring pieces in groups of about equal size near the target, each with the pieces it repeats in front. */
function groupPieces(pieces: Piece[], target: number, overlap: number): Piece[][] {
  const stride = target * (1 - overlap)
  const groups: Piece[][] = []
  let remaining = sumTokens(pieces)
  let group: Piece[] = []
  let repeated: Piece[] = []
  let size = 0
  let goal = goalFor(remaining, stride)

  for (const piece of pieces) {
    const grown = size + piece.tokens
    const isFull =
      sumTokens(repeated) + grown > MOST_TARGETS * target ||
      grown - goal > goal - size ||
      (piece.opensBlock && size >= 0.8 * goal)
    if (group.length > 0 && isFull && remaining > SMALL_REMAINDER * target) {
      groups.push([...repeated, ...group])
      repeated = tailOf(group, target, overlap)
      group = []
      size = 0
      goal = goalFor(remaining, stride)
    }
    group.push(piece)
    size += piece.tokens
    remaining -= piece.tokens
  }
  if (group.length > 0) groups.push([...repeated, ...group])
  return groups
}

function goalFor(tokens: number, stride: number): number {
  return tokens / Math.max(1, Math.round(tokens / stride))
}

/** The last pieces of a group that its successor repeats: never all of it, never more than a small share. */
function tailOf(group: Piece[], target: number, overlap: number): Piece[] {
  let from = group.length
  let tokens = 0
  while (from > 1) {
    const piece = group[from - 1]
    if (!piece) break
    const most = tokens === 0 ? Math.max(overlap, MOST_OVERLAP) : overlap * 1.25
    if (tokens >= overlap * target || tokens + piece.tokens > most * target) break
    tokens += piece.tokens
    from -= 1
  }
  return overlap > 0 ? group.slice(from) : []
}

function sumTokens(pieces: Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.tokens, 0)
}

/** Without the white space around it; the indentation of the first line stays, for it means something in code. */
function trimSpan(text: string, group: Piece[]): { start: number; end: number } {
  const start = group[0]?.start ?? 0
  const end = group.at(-1)?.end ?? 0
  const slice = text.slice(start, end)
  const trailing = slice.length - slice.trimEnd().length
  const leading = /^(?:[^\S\n]*\n)*/.exec(slice)?.[0].length ?? 0
  return { start: Math.min(start + leading, end - trailing), end: end - trailing }
}
