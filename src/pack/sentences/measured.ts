import { countOf } from '../../core/collections.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { inverseDocumentFrequency, K1 } from '../../text/candidate-bm25.ts'
import { OpenBlocks } from '../../text/code/open-blocks.ts'
import { columnsOf } from '../../text/columns.ts'
import { endsParagraph } from '../../text/sentences/ends.ts'
import { endsSentence } from '../../text/sentences/sentences.ts'
import { terms } from '../../text/terms/terms.ts'
import { analysisOf } from '../../text/terms/word-terms.ts'
import type { CostModel } from '../cost.ts'
import { isAnchor } from '../headings/anchors.ts'
import { withoutOpeningFence } from './code-lines.ts'
import { blankComments } from './comments.ts'
import { OpenList } from './open-list.ts'
import { OpenTerms, type Term } from './open-terms.ts'
import { announces, isHeading } from './openings.ts'
import { GAP_TOKENS, HEAD_ROWS, type Piece, piecesOf } from './pieces.ts'
import { type CutSentence, SENTENCES_PER_STEP } from './units.ts'

/** An item of a list, also in a quotation. */
const LIST_ITEM = /^\s*(?:>\s*)?(?:[-*+•]|\d{1,3}[.)])\s/u
/** A line of code that begins a block, a call or a list, which stands below it. */
const BEGINS_BLOCK = /[{([:]\s*$/u
/** A paragraph of so few words that no sign ends can be the name of what follows, as in a list of options. */
const LONGEST_NAME_WORDS = 5
/** A name that is marked as code, in bold or in italics, or that is an option: the term of a definition in a text that indents none. */
const TERM = /^\s*(?:[`*_]|--?[\p{L}\d])/u
/** A sentence before code, or before text that stands deeper, is a lead-in up to this many tokens. */
const MOST_BEFORE_BODY = 30
/** A line of brackets only, as at the end of a function, goes on from what is above it and begins nothing. */
const SAYS_SOMETHING = /[\p{L}\p{N}\p{So}]/u
/** The beginning of a function comes with its statements up to this share of the room, and a lead-in with the items of its list. With a longer one, none of them could be shown. */
const MOST_BEGINNING = 0.5
const MOST_LEAD_IN = 0.25
/** Numbers of terms of the query, by the place of the term. */
export type Counts = ReadonlyMap<number, number>

/** A sentence of a chunk that is cut, without what packed neighbours hold of it. */
export interface MeasuredSentence {
  /** Its place among the sentences of the whole chunk. */
  index: number
  start: number
  end: number
  tokens: number
  /** Whether it says nothing without what follows: a heading, the number or the numbered title of a clause, a lead-in, a question, a label, signs, comments, definitions of links, the head of a table, or the line of code that begins a block. */
  opens: boolean
  isHeading: boolean
  isItem: boolean
  kind: CutSentence['kind']
  /** Whether it is a part of a row of a table, behind the first part, which is the first of `head`. */
  isRestOfRow: boolean
  /** Whether a paragraph begins with it that is not the first of the chunk. */
  beginsParagraph: boolean
  endsParagraph: boolean
  /** Its place among those that are measured. */
  place: number
  /** Places of what must come before it: the first rows of its table, the beginning of its row, the lead-in of its list, the term that it explains, the opening fence of its code, or the beginning of the function that a statement is in. Neighbours with the same first place share their head. */
  head: readonly number[]
  /** Place of the end of its code, which must come behind it; null for other text and for code that is not cut. */
  foot: number | null
  /** The share of its sentence, in [0,1], when this is cut. The fences of code alone say nothing. */
  share: number
  /** How often terms of the query are in it, by the place of the term. A term that is not there has no entry, because questions can have thousands. */
  counts: Counts
}

/** The heading above the first sentence. */
type MeasuredTitle = Pick<MeasuredSentence, 'index' | 'counts'>

/**
 * The sentences of a chunk that is cut, in reading order. What does not fit is cut itself (`piecesOf`).
 * @param query null when unknown: no term is counted
 * @param room in tokens
 * @returns the sentences, the heading that the source line has in the place of the text, null without one, and the number of distinct terms of the query
 */
export function* measureSentences(
  candidate: Candidate,
  query: string | null,
  room: number,
  cost: CostModel,
): Steps<{ sentences: MeasuredSentence[]; title: MeasuredTitle | null; queryTerms: number }> {
  const { text: all } = candidate.chunk
  const analysis = analysisOf(all)
  const wanted = new Set(query === null ? [] : terms(query, analysis))
  const places = new Map([...wanted].map((term, place) => [term, place]))
  const reading = new Reading(all, room)
  const textStart = candidate.textStart ?? 0
  let title: MeasuredTitle | null = null
  for (const piece of yield* piecesOf(candidate, room, cost)) {
    const read = reading.next(piece)
    const { text: whole, end } = piece.sentence
    if (read === null && end <= textStart)
      title = { index: piece.index, counts: countsOf(terms(whole, analysis), places) }
    if (read === null) continue
    const text = all.slice(piece.start, piece.end)
    const tokens = yield* cost.tokensOf(text)
    reading.sentences.push({ ...read, tokens, counts: countsOf(terms(text, analysis), places) })
    if (read.place % SENTENCES_PER_STEP === 0) yield
  }
  const isAboveFirst = reading.sentences[0]?.start === textStart
  return { sentences: reading.sentences, title: isAboveFirst ? title : null, queryTerms: wanted.size }
}

/** Goes through the pieces of a chunk, and finds what each one needs of those before. */
class Reading {
  readonly sentences: MeasuredSentence[] = []
  private readonly all: string
  private readonly room: number
  /** Place of the first row of the open table; null outside of tables. */
  private tableAt: number | null = null
  private isAfterParagraph = false
  private readonly blocks = new OpenBlocks<number>()
  private readonly list = new OpenList()
  private readonly terms = new OpenTerms()

  /** @param all the text of the chunk @param room in tokens */
  constructor(all: string, room: number) {
    this.all = all
    this.room = room
  }

  /** What the next piece is, and what must come with it; null when packed neighbours hold all of it. */
  next(piece: Piece): Omit<MeasuredSentence, 'tokens' | 'counts'> | null {
    const { sentence, index, part, parts, start, end } = piece
    const place = this.sentences.length
    const beginsParagraph = this.isAfterParagraph && sentence.start === start
    this.isAfterParagraph = endsParagraph(sentence.text)
    if (start >= end) return null
    const text = this.all.slice(start, end)
    this.enterTerm(piece, beginsParagraph)
    if (beginsParagraph || sentence.kind !== 'row') this.tableAt = null
    if (sentence.kind === 'row') this.tableAt ??= place
    const isHead = this.tableAt !== null && place < this.tableAt + HEAD_ROWS
    const hasHeading = sentence.kind !== 'statement' && isHeading(text)
    const opens = sentence.opens ?? (isHead || hasHeading || announces(text, this.isAfterParagraph))
    const isCut = isCutCode(piece)
    const isRestOfRow = part > 0 && sentence.kind === 'row'
    const isItem = sentence.kind === 'text' && LIST_ITEM.test(text)
    const leadIn = this.list.enter(text, isItem, place)
    return {
      index,
      start,
      end,
      opens: isCut ? part === 0 || BEGINS_BLOCK.test(text) : opens,
      isHeading: hasHeading && !isCut,
      isItem,
      kind: isRestOfRow ? 'text' : sentence.kind,
      isRestOfRow,
      beginsParagraph,
      endsParagraph: end === sentence.end && (this.isAfterParagraph || end === this.all.length),
      place,
      head: this.headPlaces(piece, leadIn),
      foot: isCut && part < parts - 1 ? place - part + parts - 1 : null,
      share: shareOf(piece),
    }
  }

  /** Notes whether the sentence before leads to this one, and is the term that it explains. */
  private enterTerm({ sentence, start, end }: Piece, beginsParagraph: boolean): void {
    const before = this.sentences.at(-1)
    const led = before && leadsTo(sentence, before, this.all) ? before : null
    const term = led && termOf(sentence, led, this.all)
    if (led) led.opens = true
    // In the body of another term, a term comes without that.
    if (led && term) led.head = []
    if (beginsLine(start, this.all)) this.terms.enter(this.all.slice(start, end), beginsParagraph, term)
  }

  /** See `head` of `MeasuredSentence`. */
  private headPlaces(piece: Piece, leadIn: number | undefined): number[] {
    const { sentence, part } = piece
    const place = this.sentences.length
    const firstPart = part > 0 ? [place - part] : []
    if (sentence.kind === 'statement') {
      const beginning = this.blocks.enter(sentence, () => place)
      return this.shortHead(beginning, MOST_BEGINNING)
    }
    if (isCutCode(piece)) return firstPart
    if (this.tableAt === null) return this.shortHead(leadIn ?? this.terms.innermost, MOST_LEAD_IN)
    return [...firstPart, ...rowsBefore(place, this.tableAt)]
  }

  /** A head of one sentence; none when it takes more than a share of the room. */
  private shortHead(place: number | undefined, most: number): number[] {
    return place !== undefined && (this.sentences[place]?.tokens ?? 0) <= most * this.room ? [place] : []
  }
}

/** Whether a piece is a line of code that is too long as a whole. */
const isCutCode = ({ sentence, parts }: Piece): boolean => parts > 1 && sentence.kind === 'code'

/** See `share` of `MeasuredSentence`. */
function shareOf(piece: Piece): number {
  const { part, parts } = piece
  if (!isCutCode(piece)) return 1 / parts
  return part === 0 || part === parts - 1 ? 0 : 1 / (parts - 2)
}

function countsOf(found: readonly string[], places: ReadonlyMap<string, number>): Counts {
  return countOf(found.flatMap(term => places.get(term) ?? []))
}

/** Whether a text has words, numbers or symbols outside of comments and of a fence at its start, and is no anchor. */
export const saysSomething = (text: string): boolean =>
  !isAnchor(text.trim()) && SAYS_SOMETHING.test(blankComments(withoutOpeningFence(text)))

const rowsBefore = (at: number, tableAt: number): number[] =>
  [0, 1].map(row => tableAt + row).filter(place => place < at)

/**
 * Whether a short sentence that no sign ends leads to the one behind it: that is code or stands deeper ("Change it to", or a term above its definition), or the
 * sentence is the name of an option in a paragraph of its own, and what follows is no such name.
 */
function leadsTo(next: CutSentence, before: MeasuredSentence, all: string): boolean {
  const { start, end, tokens, kind } = before
  if (tokens > MOST_BEFORE_BODY || (kind !== 'text' && kind !== 'title')) return false
  const text = all.slice(start, end)
  if (endsSentence(text)) return false
  if (next.kind === 'code' || (text.endsWith('\n') && columnsOf(next.text) > columnsOf(text))) return true
  const isAlone = (before.place === 0 || before.beginsParagraph) && endsParagraph(text)
  return isAlone && isShortName(text) && !isShortName(next.text)
}

/**
 * What a sentence is that leads to the next one, when it is a term: one line alone, no heading and no item, above text that stands deeper or, when its name is marked, above a
 * paragraph. Null for other sentences.
 */
function termOf(
  next: CutSentence,
  { start, end, place, isHeading, isItem }: MeasuredSentence,
  all: string,
): Term | null {
  const text = all.slice(start, end)
  if (isHeading || isItem || !beginsLine(start, all) || text.trim().includes('\n')) return null
  const columns = columnsOf(text)
  if (columnsOf(next.text) > columns) return { columns, place, isName: false }
  const isName = next.kind === 'text' && TERM.test(text) && !LIST_ITEM.test(next.text)
  return isName ? { columns, place, isName } : null
}

const beginsLine = (start: number, all: string): boolean => start === 0 || all[start - 1] === '\n'

function isShortName(text: string): boolean {
  return !LIST_ITEM.test(text) && !endsSentence(text) && text.trim().split(/\s+/u).length <= LONGEST_NAME_WORDS
}

/** Inverse document frequency of each term, where the documents are the sentences of the chunk. @param terms number of distinct terms of the query */
export function idfOf(sentences: readonly MeasuredSentence[], terms: number): number[] {
  const holders = new Float64Array(terms)
  for (const { counts } of sentences) for (const term of counts.keys()) holders[term] = (holders[term] ?? 0) + 1
  return Array.from(holders, held => inverseDocumentFrequency(held, sentences.length))
}

/** BM25 of counts of the terms, without the length norm. */
export function wordMatch(counts: Counts, idf: readonly number[]): number {
  let sum = 0
  for (const [term, count] of counts) sum += (idf[term] ?? 0) * saturated(count)
  return sum
}

/** What a term counts that is there so often. */
function saturated(count: number): number {
  return (count * (K1 + 1)) / (count + K1)
}

type Framed = Pick<MeasuredSentence, 'head' | 'foot'>

/** What must come before a sentence, in reading order: the rows above a row of a table, or the opening fence above a line of code. */
export function headOf({ head }: Framed, sentences: readonly MeasuredSentence[]): MeasuredSentence[] {
  return head.flatMap(place => sentences[place] ?? []).sort((a, b) => a.place - b.place)
}

/** What must come behind a sentence: the end of the code of a line. */
export function footOf({ foot }: Framed, sentences: readonly MeasuredSentence[]): MeasuredSentence[] {
  return foot === null ? [] : sentences.slice(foot, foot + 1)
}

/** Tokens of what comes with a sentence that begins a run. */
export function headTokens(sentence: MeasuredSentence, sentences: readonly MeasuredSentence[]): number {
  const frames = [headOf(sentence, sentences), footOf(sentence, sentences)].filter(frame => frame.length > 0)
  return frames.reduce((sum, frame) => sum + GAP_TOKENS + sumOf(frame), 0)
}

function sumOf(sentences: readonly MeasuredSentence[]): number {
  return sentences.reduce((sum, { tokens }) => sum + tokens, 0)
}
