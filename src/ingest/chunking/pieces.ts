import { codePointStart } from '../../core/prefix.ts'
import { splitSentences } from '../../text/sentences.ts'
import type { Block, Section, Span } from './sections.ts'

/** The smallest stretch that is never cut further: a sentence, a whole table, list or code block, or a part of a too large one. */
export interface Piece extends Span {
  tokens: number
  /** Whether a block begins here: the better place to end a chunk. */
  opensBlock: boolean
}

export interface PieceLimits {
  /** Prose is cut below this many tokens. */
  target: number
  /** Tables, lists and code stay whole up to this many tokens. */
  atomic: number
  count: (text: string) => number
}

/** The pieces of a section in order, its heading joined to the first, and a sentence that announces a list or table ("…:") to that. */
export function cutSection(section: Section, text: string, limits: PieceLimits): Piece[] {
  const pieces: Piece[] = []
  let lead = section.heading && pieceOf(section.heading, text, limits, true)
  for (const block of section.blocks) {
    const cut = cutBlock(block, text, limits)
    const last = pieces.at(-1)
    if (!lead && last && block.kind === 'atomic' && announces(last, text, limits)) lead = pieces.pop() ?? null
    const first = cut[0]
    if (lead && first) {
      cut[0] = joinPieces(lead, first)
      lead = null
    }
    for (const piece of cut) pieces.push(piece)
  }
  return lead ? [lead] : pieces
}

/** One piece over two neighbouring ones and what lies between them. */
export function joinPieces(before: Piece, after: Piece): Piece {
  return { start: before.start, end: after.end, tokens: before.tokens + after.tokens, opensBlock: before.opensBlock }
}

function announces(piece: Piece, text: string, limits: PieceLimits): boolean {
  return piece.tokens <= limits.target / 4 && text.slice(piece.start, piece.end).trimEnd().endsWith(':')
}

function cutBlock(block: Block, text: string, limits: PieceLimits): Piece[] {
  if (block.kind === 'prose') return cutSpans(sentencesOf(block, text), text, limits)
  const whole = pieceOf(block, text, limits, true)
  return whole.tokens <= limits.atomic ? [whole] : cutSpans(block.parts, text, limits)
}

function sentencesOf(block: Span, text: string): Span[] {
  const sentences = splitSentences(text.slice(block.start, block.end))
  return sentences.map(({ start, end }) => ({ start: block.start + start, end: block.start + end }))
}

function cutSpans(spans: Span[], text: string, limits: PieceLimits): Piece[] {
  return spans.flatMap((span, index) => halve(pieceOf(span, text, limits, index === 0), text, limits))
}

function pieceOf(span: Span, text: string, limits: PieceLimits, opensBlock: boolean): Piece {
  return { start: span.start, end: span.end, opensBlock, tokens: limits.count(text.slice(span.start, span.end)) }
}

/** Halves until every part is small enough. */
function halve(piece: Piece, text: string, limits: PieceLimits): Piece[] {
  if (piece.tokens <= limits.target || piece.end - piece.start < 2) return [piece]
  const cut = cutNearMiddle(piece, text)
  const left = pieceOf({ start: piece.start, end: cut }, text, limits, piece.opensBlock)
  const right = pieceOf({ start: cut, end: piece.end }, text, limits, false)
  return [...halve(left, text, limits), ...halve(right, text, limits)]
}

const CUT_PLACES = [/\n/g, /[.;!?]\s/g, /[,:]\s/g, /\s/g]

/** At a line end in the middle half, else a clause, else a space, else between two characters. */
function cutNearMiddle(span: Span, text: string): number {
  const length = span.end - span.start
  const middle = span.start + Math.floor(length / 2)
  const from = span.start + Math.floor(length / 4)
  const window = text.slice(from, span.end - Math.floor(length / 4))
  for (const place of CUT_PLACES) {
    const cuts = Array.from(window.matchAll(place), match => from + match.index + match[0].length)
    const inside = cuts.filter(cut => cut < span.end)
    if (inside.length > 0) {
      return inside.reduce((best, cut) => (Math.abs(cut - middle) < Math.abs(best - middle) ? cut : best))
    }
  }
  return codePointStart(text, middle) < middle && middle + 1 < span.end ? middle + 1 : middle
}
