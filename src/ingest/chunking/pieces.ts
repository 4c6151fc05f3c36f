import { codePointStart } from '../../core/prefix.ts'
import type { Span } from '../../core/types.ts'
import { isBoldLine } from '../../text/sentences/line-forms.ts'
import { endsSentence, splitSentences } from '../../text/sentences/sentences.ts'
import type { Block, Section } from './sections.ts'

/** A range that is not cut further: a sentence, a table, list or code block, or a part of one that is too large. */
export interface Piece extends Span {
  tokens: number
  /** True at the start of a block. A chunk preferably ends before it. */
  opensBlock: boolean
  /** What a chunk that begins with it repeats: the head of its table for a row, the first cell of its row for a part of a row, the opening fence for lines of code; null for all else. */
  head: Span | null
  /** True for an entry, which needs nothing of the one before it. */
  opensEntry: boolean
}

export interface PieceLimits {
  /** Most tokens in a piece of prose. */
  target: number
  /** Most tokens in a table, list or code block that stays whole. */
  atomic: number
  /** Whether a paragraph that defines terms stays whole too. */
  wholeDefinitions: boolean
  count: (text: string) => number
}

/**
 * Cuts a section into pieces in order. The heading joins the first piece, and a short sentence that ends in a colon, one before
 * code that no sign ends, a line in bold or of code alone, or a paragraph that asks, joins what it announces.
 */
export function cutSection(section: Section, text: string, limits: PieceLimits): Piece[] {
  const pieces: Piece[] = []
  let lead = section.heading && pieceOf(section.heading, text, limits, true)
  let ofHeading = lead?.tokens ?? 0
  for (const [at, block] of section.blocks.entries()) {
    const isQuestion = asks(block, text, limits)
    const cut = isQuestion ? [pieceOf(block, text, limits, true)] : cutBlock(block, text, limits)
    const [first] = cut
    const last = cut.at(-1)
    if (!first || !last) continue
    const isLead =
      isQuestion || announces(last, text) || (block.kind === 'prose' && leadsToCode(last, section.blocks[at + 1], text))
    if (lead) cut[0] = joinPieces(lead, first)
    if (cut.length > 1) ofHeading = 0
    lead = isLead && fitsBefore(cut.at(-1), ofHeading, limits) ? (cut.pop() ?? null) : null
    if (lead === null) ofHeading = 0
    for (const piece of cut) pieces.push(piece)
  }
  if (lead) pieces.push(lead)
  return pieces
}

/** Joins two neighbouring pieces and the text between them. */
export function joinPieces(before: Piece, after: Piece): Piece {
  return { ...before, end: after.end, tokens: before.tokens + after.tokens }
}

/** What is looked at of the end of a text, in UTF-16 code units. */
const LONGEST_END = 80
/** A sentence that ends in a colon, perhaps inside emphasis or quotation marks. */
const ENDS_IN_COLON = /:[*_`"'”’)\]]{0,4}\s*$/

/** A line of code in backticks and nothing else: a term whose meaning stands below it. */
const CODE_LINE = /^\s*`[^`\n]{1,100}`(?:,?[^\S\n]`[^`\n]{1,100}`)*\s*$/u
const isCodeLine = (text: string): boolean => CODE_LINE.test(text)

function announces(piece: Piece, text: string): boolean {
  const slice = text.slice(piece.start, piece.end)
  return ENDS_IN_COLON.test(slice.slice(-LONGEST_END)) || (piece.opensBlock && (isBoldLine(slice) || isCodeLine(slice)))
}

/** A question, perhaps inside emphasis or quotation marks. */
const ENDS_IN_QUESTION = /[?？][*_`"'”’)\]]{0,4}\s*$/u

/** Whether a paragraph is short and ends in a question: the answer is behind it. */
function asks(block: Block, text: string, limits: PieceLimits): boolean {
  return block.kind === 'prose' && isShortQuestion(block, text, limits)
}

function isShortQuestion({ start, end }: Span, text: string, { target, count }: PieceLimits): boolean {
  if (!ENDS_IN_QUESTION.test(text.slice(Math.max(start, end - LONGEST_END), end))) return false
  return count(text.slice(start, end)) <= MOST_BEFORE * target
}

/** Whether code follows a sentence that no sign ends: "Change it to". */
function leadsToCode({ start, end }: Piece, next: Block | undefined, text: string): boolean {
  return next?.kind === 'code' && !endsSentence(text.slice(start, end))
}

/** What joins the text that it announces is at most this share of the target. */
export const MOST_BEFORE = 0.25

/**
 * Whether a piece, with the lead-in that it has in front, is short enough to join what follows.
 *
 * @param ofHeading tokens of the heading that it has in front: a heading and a lead-in alone say nothing
 */
function fitsBefore(piece: Piece | undefined, ofHeading: number, { target }: PieceLimits): boolean {
  return piece !== undefined && piece.tokens - ofHeading <= MOST_BEFORE * target
}

function cutBlock(block: Block, text: string, limits: PieceLimits): Piece[] {
  if (block.kind === 'prose') return cutProse(block, text, limits)
  const whole = pieceOf(block, text, limits, true)
  if (whole.tokens <= limits.atomic) return [whole]
  const heads = new Set(block.parts.map(({ head }) => head).filter(head => head !== null))
  const repeated = new Set([...heads].filter(({ start, end }) => limits.count(text.slice(start, end)) <= limits.target))
  const pieces = block.parts.flatMap(({ head, ...span }, at) => {
    const part = pieceOf(span, text, limits, at === 0)
    const repeats = head !== null && repeated.has(head) ? head : null
    if (block.kind === 'code') return halve(part, text, limits).map(piece => ({ ...piece, head: repeats }))
    if (head === null) return halve(part, text, limits)
    // The end of a row would stand under the names of its first columns. A row that is too large is text under the name of its first cell.
    if (part.tokens <= limits.atomic) return [{ ...part, head: repeats }]
    const name = firstCellOf(span, text, limits) ?? repeats
    return halve(part, text, limits).map((piece, at) => ({ ...piece, head: at === 0 ? repeats : name }))
  })
  return joinHeads(pieces)
}

/** With a letter, a number or a symbol: cells are left empty where the row goes on with the group above it. */
const FIRST_CELL = /^[ \t]*\|?(?=[^|\n]{0,400}[\p{L}\p{N}\p{So}])(?:\\.|[^|\\\n]){1,400}\|/u

/** The first cell of a row, which names it; null when it is empty or long. */
function firstCellOf({ start, end }: Span, text: string, { target, count }: PieceLimits): Span | null {
  const cell = FIRST_CELL.exec(text.slice(start, end))?.[0]
  if (cell === undefined || count(cell) > MOST_BEFORE * target) return null
  return { start, end: start + cell.length }
}

/** Joins the head of each table with its first row. */
function joinHeads(pieces: Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const before = joined.at(-1)
    const isBelowHead = before !== undefined && piece.head?.end === before.end
    if (isBelowHead) joined.splice(-1, 1, joinPieces(before, piece))
    else joined.push(piece)
  }
  return joined
}

/** A line `: meaning` below the line of its term, as in many flavours of Markdown. */
const DEFINES = /\S[ \t]*\r?\n[ \t]{0,3}:[ \t]+\S/

function cutProse(block: Block, text: string, limits: PieceLimits): Piece[] {
  if (limits.wholeDefinitions && DEFINES.test(text.slice(block.start, block.end))) {
    const whole = pieceOf(block, text, limits, true)
    if (whole.tokens <= limits.atomic) return [whole]
  }
  return cutSpans(withAnswers(sentencesOf(block, text), text, limits), text, limits)
}

/** Sentences, of which each short question that begins a line has the sentence behind it: "Q: Is it open?" above "A: Yes." */
function withAnswers(sentences: readonly Span[], text: string, limits: PieceLimits): Span[] {
  const joined: Span[] = []
  let isAsked = false
  for (const sentence of sentences) {
    const before = joined.at(-1)
    const beginsLine = sentence.start === sentences[0]?.start || text[sentence.start - 1] === '\n'
    const asksNext = beginsLine && isShortQuestion(sentence, text, limits)
    // A list of questions has no answers.
    if (isAsked && before && !asksNext) before.end = sentence.end
    else joined.push({ ...sentence })
    isAsked = asksNext
  }
  return joined
}

function sentencesOf(block: Span, text: string): Span[] {
  const sentences = splitSentences(text.slice(block.start, block.end))
  return sentences.map(({ start, end }) => ({ start: block.start + start, end: block.start + end }))
}

function cutSpans(spans: Span[], text: string, limits: PieceLimits): Piece[] {
  return spans.flatMap((span, index) => halve(pieceOf(span, text, limits, index === 0), text, limits))
}

export function pieceOf(span: Span, text: string, limits: Pick<PieceLimits, 'count'>, opensBlock: boolean): Piece {
  return {
    start: span.start,
    end: span.end,
    opensBlock,
    head: null,
    opensEntry: false,
    tokens: limits.count(text.slice(span.start, span.end)),
  }
}

/** Halves a piece until every part fits the target. */
export function halve(piece: Piece, text: string, limits: Pick<PieceLimits, 'target' | 'count'>): Piece[] {
  if (piece.tokens <= limits.target || piece.end - piece.start < 2) return [piece]
  const cut = cutNearMiddle(piece, text)
  const left = pieceOf({ start: piece.start, end: cut }, text, limits, piece.opensBlock)
  const right = pieceOf({ start: cut, end: piece.end }, text, limits, false)
  return [...halve(left, text, limits), ...halve(right, text, limits)]
}

/** The line ends before a blank line or an item of a list; those behind a sentence; the ends of sentences in a line, which code has in comments at most; all line ends; clauses; spaces. */
const CUT_PLACES = [
  /\n(?=[ \t]*(?:\n|[-*+•][ \t]|\d{1,3}[.)][ \t]))/g,
  /[.;!?]["')\]*_`]{0,4}[ \t]*\n/g,
  /(?<=\p{Ll}[.!?]["')*_]{0,3})[ \t]+(?=\p{Lu}\p{Ll})/gu,
  /\n/g,
  /[.;!?]\s/g,
  /[,:]\s/g,
  /\s/g,
]

/** Cuts in the middle half, at the best kind of place that is there, else between two characters. */
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
