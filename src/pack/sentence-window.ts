import { prefixOf } from '../core/prefix.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate } from '../core/types.ts'
import { sentencesOf } from '../text/sentences.ts'
import { terms } from '../text/terms.ts'
import type { CostModel } from './cost.ts'
import { LONGEST_SPLIT, MOST_OF_CHUNK, SENTENCES_PER_STEP } from './sentence-units.ts'
import type { Unit } from './unit.ts'

const HEADING = /^\s{0,3}#{1,6}\s/u
const TABLE_ROW = /^\s{0,3}\|/u
/** Announces what follows, as in "You need:". */
const LEAD_IN = /[:：]["'”’)\]*_]{0,4}\s*$/u
/** A question that ends its paragraph: the answer follows. */
const QUESTION = /[?？]["'”’)\]*_]{0,4}[^\S\n]*\n\s*$/u
/** The label of a box, alone in its line. */
const LABEL = /^[\s*_]*(?:note|tip|hint|important|warning|caution|danger|attention|example|see also)[\s*_]*$/iu
/** A few words in bold, alone, that no sign ends: the name of what follows. */
const BOLD_NAME = /^\s*(\*\*|__)[^*_\n]{0,80}[^*_\s.!?。！？]\1\s*$/u
/** Signs and tags alone, such as `</div>`, or the two stars before a sentence in bold. */
const SIGNS = /^(?:[^\p{L}\p{N}]|<\/?[a-z][^<>]*>)*$/iu
/** Definitions of links alone: `[label]: address`. */
const LINK_DEFINITIONS = /^(?:\s*\[[^\]\n]{1,200}\]:[^\S\n]*\S[^\n]*(?:\n|$))+\s*$/u
const OPENINGS = [HEADING, LEAD_IN, QUESTION, LABEL, BOLD_NAME, SIGNS, LINK_DEFINITIONS]
/** The names of the columns, and the line below them. */
const HEAD_ROWS = 2
/** At most so many tokens for the gap mark between the head of a table and its rows. */
const GAP_TOKENS = 4
/** Saturation of term counts, as in BM25. */
const K1 = 1.2
/** Least standard deviation, far above the rounding error of equal matches. */
const LEAST_DEVIATION = 1e-6
const BLANK_LINE = /\n[^\S\n]*\n/u
/** What a run gains that begins with a paragraph other than the first of its chunk, in standard deviations of the matches. */
const BEGINS_PARAGRAPH = 1
/** What a run gains that ends with a paragraph, in the same unit. */
const ENDS_PARAGRAPH = 0.75

interface MeasuredSentence {
  start: number
  end: number
  tokens: number
  /** Whether it says nothing without what follows: a heading, a lead-in, a question, a label, signs, definitions of links, or the head of a table. */
  opens: boolean
  /** Whether a paragraph begins with it that is not the first of the chunk. */
  beginsParagraph: boolean
  endsParagraph: boolean
  /** Place of the first row of its table, when it is a row below the head; else null. */
  tableAt: number | null
  /** Count of each distinct term of the query. */
  counts: Float64Array
}

/** A run of sentences, by their places; `to` is exclusive. */
interface Run {
  from: number
  to: number
  tokens: number
}

/**
 * The run of sentences of a chunk that fits into `room` and matches the query best, for a chunk that does not fit as a whole. A run in a
 * table comes with the head of the table; it does not end with a sentence that says nothing without what follows, and is never only such sentences.
 *
 * Runs are as long as fits. Their match is Σ idf(t) · n(t) · (K1 + 1) / (n(t) + K1) over the terms of the query, where n(t) is the count
 * in the run, and idf comes from the sentences of the chunk: BM25 without its length norm, because the runs are about equally long.
 * A run gains 1 standard deviation of the matches when it begins with a paragraph, and .75 when it ends with one, because answers seldom
 * begin inside a paragraph. Without a query, the longest run is taken. Of equals, it is the first one. What packed neighbours hold of the
 * chunk is left out.
 *
 * @param room in tokens
 * @returns sentences in reading order that fit together; none when not a single one fits
 */
export function* bestWindow(candidate: Candidate, query: string | null, room: number, cost: CostModel): Steps<Unit[]> {
  const wanted = [...new Set(query === null ? [] : terms(query))]
  const sentences = yield* measure(candidate, wanted, cost)
  const frame = yield* cost.costOf(unitOf(candidate, 0, 0))
  const runs = longestRuns(sentences, room - frame)
  const scores =
    wanted.length === 0 ? runs.map(({ tokens }) => tokens) : yield* scoresOf(runs, sentences, wanted.length)
  const ranked = runs.map((run, at) => ({ run, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score)
  for (const { run } of ranked) {
    const units = yield* fitting(run, sentences, candidate, room, cost)
    if (units) return units
  }
  return []
}

function* measure(candidate: Candidate, wanted: readonly string[], cost: CostModel): Steps<MeasuredSentence[]> {
  const places = new Map(wanted.map((term, place) => [term, place]))
  const sentences: MeasuredSentence[] = []
  let tableAt: number | null = null
  let isAfterParagraph = false
  const fresh = cost.freshRangeOf(candidate)
  for (const sentence of sentencesOf(prefixOf(candidate.chunk.text, LONGEST_SPLIT))) {
    const at = sentences.length
    if (at >= MOST_OF_CHUNK) break
    const beginsParagraph = isAfterParagraph && sentence.start >= fresh.start
    isAfterParagraph = endsWithBlankLine(sentence.text)
    const start = Math.max(sentence.start, fresh.start)
    const end = Math.min(sentence.end, fresh.end)
    if (start >= end) continue
    const text = candidate.chunk.text.slice(start, end)
    const isRow = TABLE_ROW.test(text)
    tableAt = isRow ? (tableAt ?? at) : null
    const isHead = tableAt !== null && at < tableAt + HEAD_ROWS
    const counts = new Float64Array(wanted.length)
    for (const term of terms(text)) {
      const place = places.get(term)
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1
    }
    sentences.push({
      start,
      end,
      tokens: yield* cost.tokensOf(text),
      opens: isHead || OPENINGS.some(form => form.test(text)),
      beginsParagraph,
      endsParagraph: end === sentence.end && (isAfterParagraph || end === candidate.chunk.text.length),
      tableAt: isHead ? null : tableAt,
      counts,
    })
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  return sentences
}

/** The longest run from each sentence on, without those that are a part of the run before. */
function longestRuns(sentences: readonly MeasuredSentence[], room: number): Run[] {
  const runs: Run[] = []
  let to = 0
  let tokens = 0
  for (const [from, first] of sentences.entries()) {
    if (to < from) {
      to = from
      tokens = 0
    }
    const space = room - headTokens(first, sentences)
    for (let next = sentences[to]; next && tokens + next.tokens <= space; next = sentences[++to]) tokens += next.tokens
    if (to > from) {
      if (to > (runs.at(-1)?.to ?? 0)) runs.push({ from, to, tokens })
      tokens -= first.tokens
    }
  }
  return runs
}

function headTokens({ tableAt }: MeasuredSentence, sentences: readonly MeasuredSentence[]): number {
  return tableAt === null ? 0 : GAP_TOKENS + sumOf(sentences.slice(tableAt, tableAt + HEAD_ROWS))
}

function* matchesOf(runs: readonly Run[], sentences: readonly MeasuredSentence[], terms: number): Steps<number[]> {
  const idf = Array.from({ length: terms }, (_, term) => {
    const holders = sentences.reduce((sum, { counts }) => sum + ((counts[term] ?? 0) > 0 ? 1 : 0), 0)
    return Math.log(1 + (sentences.length - holders + 0.5) / (holders + 0.5))
  })
  const inRun = new Float64Array(terms)
  const add = (at: number, sign: 1 | -1) =>
    sentences[at]?.counts.forEach((count, term) => {
      inRun[term] = (inRun[term] ?? 0) + sign * count
    })
  const matches: number[] = []
  let [from, to] = [0, 0]
  for (const run of runs) {
    while (to < run.to) add(to++, 1)
    while (from < run.from) add(from++, -1)
    matches.push(idf.reduce((sum, weight, term) => sum + weight * saturated(inRun[term] ?? 0), 0))
    if (matches.length % SENTENCES_PER_STEP === 0) yield
  }
  return matches
}

/** Match of each run with the query in standard deviations, and what it gains at the borders of paragraphs. */
function* scoresOf(runs: readonly Run[], sentences: readonly MeasuredSentence[], terms: number): Steps<number[]> {
  const matches = yield* matchesOf(runs, sentences, terms)
  const unit = Math.max(LEAST_DEVIATION, deviation(matches))
  return runs.map(({ from, to }, at) => {
    const begins = sentences[from]?.beginsParagraph ? BEGINS_PARAGRAPH : 0
    const ends = sentences[to - 1]?.endsParagraph ? ENDS_PARAGRAPH : 0
    return (matches[at] ?? 0) / unit + begins + ends
  })
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

function endsWithBlankLine(text: string): boolean {
  return BLANK_LINE.test(text.slice(text.trimEnd().length))
}

function saturated(count: number): number {
  return (count * (K1 + 1)) / (count + K1)
}

/** The sentences of a run without what it should not end with, cut at its end until they fit; null when nothing is left. */
function* fitting(
  { from, to }: Run,
  sentences: readonly MeasuredSentence[],
  candidate: Candidate,
  room: number,
  cost: CostModel,
): Steps<Unit[] | null> {
  const first = sentences[from]
  const head = first && first.tableAt !== null ? sentences.slice(first.tableAt, first.tableAt + HEAD_ROWS) : []
  const left = room - (head.length === 0 ? 0 : GAP_TOKENS + sumOf(head))
  for (let end = to; first && end > from; end--) {
    const last = sentences[end - 1]
    if (!last || last.opens) continue
    if ((yield* cost.costOf(unitOf(candidate, first.start, last.end))) <= left)
      return [...head, ...sentences.slice(from, end)].map(sentence => unitOf(candidate, sentence.start, sentence.end))
    yield
  }
  return null
}

function sumOf(sentences: readonly MeasuredSentence[]): number {
  return sentences.reduce((sum, { tokens }) => sum + tokens, 0)
}

function unitOf(candidate: Candidate, start: number, end: number): Unit {
  return { candidate, start, end, value: candidate.value }
}
