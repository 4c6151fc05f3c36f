import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { OpenBlocks } from '../../text/code/open-blocks.ts'
import { columnsOf } from '../../text/columns.ts'
import { endsParagraph } from '../../text/sentences/ends.ts'
import { isNumberedTitle, isSectionNumber } from '../../text/sentences/section-number.ts'
import { endsSentence } from '../../text/sentences/sentences.ts'
import { isUnderlinedTitle } from '../../text/sentences/underlined-title.ts'
import { terms } from '../../text/terms/terms.ts'
import { analysisOf } from '../../text/terms/word-terms.ts'
import type { CostModel } from '../cost.ts'
import type { Unit } from '../unit.ts'
import { withoutOpeningFence } from './code-lines.ts'
import { blankComments } from './comments.ts'
import { LEAD_IN, OpenList } from './open-list.ts'
import { OpenTerms, type Term } from './open-terms.ts'
import { GAP_TOKENS, HEAD_ROWS, piecesOf } from './pieces.ts'
import { type CutSentence, SENTENCES_PER_STEP } from './units.ts'

const HEADING = /^\s{0,3}#{1,6}\s/u
/** A question that ends its paragraph: the answer follows. */
const QUESTION = /[?？]["'”’)\]*_]{0,4}[^\S\n]*\n\s*$/u
/** The label of a box, alone in its line, also in a quotation. */
const LABEL = /^[\s>*_]*(?:note|tip|hint|important|warning|caution|danger|attention|example|see also)[\s>*_]*$/iu
/** A few words in bold or italics, alone, that no sign ends: the name of what follows. */
const MARKED_NAME = /^[\s>]*(\*{1,3}|_{1,3})[^*_\n]{0,80}[^*_\s.!?。！？]\1[\s>]*$/u
/** An item of a list, also in a quotation. */
const LIST_ITEM = /^\s*(?:>\s*)?(?:[-*+•]|\d{1,3}[.)])\s/u
/** A directive of reStructuredText: ".. note::". */
const DIRECTIVE = /^\s*\.\. [\w:-]{1,40}::[^\n]{0,80}\s*$/u
/** A comment of HTML, which no reader of the document sees. */
const COMMENT = String.raw`<!--(?:(?!-->)[\s\S])*-->`
/** Signs, tags and comments alone, such as `</div>`, or the two stars before a sentence in bold. */
const SIGNS = new RegExp(String.raw`^(?:${COMMENT}|(?!<!--)[^\p{L}\p{N}]|<\/?[a-z][^<>]*>)*$`, 'iu')
/** A line of code that begins a block, a call or a list, which stands below it. */
const BEGINS_BLOCK = /[{([:]\s*$/u
/** Definitions of links alone: `[label]: address`. */
const LINK_DEFINITIONS = /^(?:\s*\[[^\]\n]{1,200}\]:[^\S\n]*\S[^\n]*(?:\n|$))+\s*$/u
const OPENINGS = [LEAD_IN, QUESTION, LABEL, MARKED_NAME, DIRECTIVE, SIGNS, LINK_DEFINITIONS]
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
/** Saturation of term counts, as in BM25. */
const K1 = 1.2

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
  /** Whether it is an item of a list. */
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

/**
 * The sentences of a chunk that is cut, in reading order. What does not fit is cut itself (`piecesOf`).
 * @param query null when unknown: no term is counted
 * @param room in tokens
 * @returns the sentences, and the number of distinct terms of the query
 */
export function* measureSentences(
  candidate: Candidate,
  query: string | null,
  room: number,
  cost: CostModel,
): Steps<{ sentences: MeasuredSentence[]; queryTerms: number }> {
  const analysis = analysisOf(candidate.chunk.text)
  const wanted = new Set(query === null ? [] : terms(query, analysis))
  const places = new Map([...wanted].map((term, place) => [term, place]))
  const sentences: MeasuredSentence[] = []
  let tableAt: number | null = null
  let isAfterParagraph = false
  const blocks = new OpenBlocks<number>()
  const list = new OpenList()
  const openTerms = new OpenTerms()
  const shortHead = (place: number | undefined, most: number) =>
    place !== undefined && (sentences[place]?.tokens ?? 0) <= most * room ? [place] : []
  for (const { sentence, index, part, parts, start, end } of yield* piecesOf(candidate, room, cost)) {
    const at = sentences.length
    const beginsParagraph = isAfterParagraph && sentence.start === start
    isAfterParagraph = endsParagraph(sentence.text)
    if (start >= end) continue
    const text = candidate.chunk.text.slice(start, end)
    const before = sentences.at(-1)
    const led = before && leadsTo(sentence, before, candidate.chunk.text) ? before : null
    const term = led && termOf(sentence, led, candidate.chunk.text)
    if (led) led.opens = true
    // In the body of another term, a term comes without that.
    if (led && term) led.head = []
    if (beginsLine(start, candidate.chunk.text)) openTerms.enter(text, beginsParagraph, term)
    if (beginsParagraph || sentence.kind !== 'row') tableAt = null
    if (sentence.kind === 'row') tableAt ??= at
    const isHead = tableAt !== null && at < tableAt + HEAD_ROWS
    const isStatement = sentence.kind === 'statement'
    const isHeading = !isStatement && (HEADING.test(text) || isUnderlinedTitle(text))
    const isNumber = isSectionNumber(text) || (isAfterParagraph && isNumberedTitle(text))
    const opens =
      sentence.opens ?? (isHead || isHeading || isNumber || OPENINGS.some(form => form.test(withoutOpeningFence(text))))
    const counts = new Map<number, number>()
    for (const term of terms(text, analysis)) {
      const place = places.get(term)
      if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1)
    }
    const isCut = parts > 1 && sentence.kind === 'code'
    const isRestOfRow = part > 0 && sentence.kind === 'row'
    const isItem = sentence.kind === 'text' && LIST_ITEM.test(text)
    const leadIn = list.enter(text, isItem, at)
    sentences.push({
      index,
      start,
      end,
      tokens: yield* cost.tokensOf(text),
      opens: isCut ? part === 0 || BEGINS_BLOCK.test(text) : opens,
      isHeading: isHeading && !isCut,
      isItem,
      kind: isRestOfRow ? 'text' : sentence.kind,
      isRestOfRow,
      beginsParagraph,
      endsParagraph: end === sentence.end && (isAfterParagraph || end === candidate.chunk.text.length),
      place: at,
      head: isStatement
        ? shortHead(
            blocks.enter(sentence, () => at),
            MOST_BEGINNING,
          )
        : isCut
          ? [at - part].filter(place => place < at)
          : tableAt === null
            ? shortHead(leadIn ?? openTerms.innermost, MOST_LEAD_IN)
            : isRestOfRow
              ? [at - part, ...rowsBefore(at, tableAt)]
              : rowsBefore(at, tableAt),
      foot: isCut && part < parts - 1 ? at - part + parts - 1 : null,
      share: isCut ? (part === 0 || part === parts - 1 ? 0 : 1 / (parts - 2)) : 1 / parts,
      counts,
    })
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  return { sentences, queryTerms: wanted.size }
}

/** Whether a text has words, numbers or symbols outside of comments and of a fence at its start. */
export const saysSomething = (text: string): boolean => SAYS_SOMETHING.test(blankComments(withoutOpeningFence(text)))

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

/** Inverse document frequency of each term, where the documents are the sentences of the chunk. */
export function idfOf(sentences: readonly MeasuredSentence[], terms: number): number[] {
  const holders = new Float64Array(terms)
  for (const { counts } of sentences) for (const term of counts.keys()) holders[term] = (holders[term] ?? 0) + 1
  return Array.from(holders, held => Math.log(1 + (sentences.length - held + 0.5) / (held + 0.5)))
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

export function unitOf(candidate: Candidate, start: number, end: number): Unit {
  return { candidate, start, end, value: candidate.value }
}
