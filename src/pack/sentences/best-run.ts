import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import type { CostModel } from '../cost.ts'
import { type Unit, unitOf } from '../unit.ts'
import {
  type Counts,
  footOf,
  headOf,
  headTokens,
  idfOf,
  type MeasuredSentence,
  measureSentences,
  saysSomething,
  wordMatch,
} from './measured.ts'
import { SENTENCES_PER_STEP } from './units.ts'
import { entryGains } from './worth/entry-gains.ts'

/** Least standard deviation, far above the rounding error of equal matches. */
const LEAST_DEVIATION = 1e-6
/** What a run gains that begins with a paragraph other than the first of its chunk, in standard deviations of the matches. */
const BEGINS_PARAGRAPH = 1
/** What a run gains that ends with a paragraph, in the same unit. */
const ENDS_PARAGRAPH = 0.75

/** A run of sentences, by their places; `to` is exclusive. */
interface Run {
  from: number
  to: number
  tokens: number
}

/**
 * The run of sentences of a chunk that fits into `room` and matches the query best, for a chunk that does not fit as a whole. A run in a
 * table comes with the head of the table, and one in code with its fences; it does not end with a sentence that says nothing without what follows, and is never only such sentences or signs.
 *
 * Runs are as long as fits. Their match is Σ idf(t) · n(t) · (K1 + 1) / (n(t) + K1) over the terms of the query, where n(t) is the count
 * in the run, and idf comes from the sentences of the chunk: BM25 without its length norm, because the runs are about equally long. Entries gain when the question names them (`entryGains`).
 * A run gains 1 standard deviation of the matches when it begins with a paragraph, and .75 when it ends with one, because answers seldom
 * begin inside a paragraph. Without a query, the longest run is taken. Of equals, it is the first one. What packed neighbours hold of the
 * chunk is left out.
 *
 * @param room in tokens
 * @returns the head of the table and the run, which fit together; none when not a single sentence fits
 */
export function* bestWindow(candidate: Candidate, query: string | null, room: number, cost: CostModel): Steps<Unit[]> {
  const { sentences, queryTerms } = yield* measureSentences(candidate, query, room, cost)
  const frame = yield* cost.costOf(unitOf(candidate, 0, 0))
  const runs = longestRuns(sentences, room - frame)
  const gains = yield* entryGains(sentences, candidate.chunk.text, query ?? '')
  const scores =
    queryTerms === 0 ? runs.map(({ tokens }) => tokens) : yield* scoresOf(runs, sentences, gains, queryTerms)
  const ranked = runs.map((run, at) => ({ run, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score)
  for (const { run } of ranked) {
    const units = yield* fitting(run, sentences, candidate, room, cost)
    if (units) return units
  }
  return []
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
      // The end of code alone is nothing to begin with.
      const isEndOfCode = first.share === 0 && first.foot === null
      if (to > (runs.at(-1)?.to ?? 0) && !isEndOfCode) runs.push({ from, to, tokens })
      tokens -= first.tokens
    }
  }
  return runs
}

function* matchesOf(
  runs: readonly Run[],
  sentences: readonly MeasuredSentence[],
  gains: readonly number[],
  terms: number,
): Steps<number[]> {
  const idf = idfOf(sentences, terms)
  const inRun = new Map<number, number>()
  const add = (at: number, sign: 1 | -1) => {
    for (const [term, count] of sentences[at]?.counts ?? []) {
      const sum = (inRun.get(term) ?? 0) + sign * count
      if (sum === 0) inRun.delete(term)
      else inRun.set(term, sum)
    }
  }
  const matches: number[] = []
  let [from, to, gained] = [0, 0, 0]
  for (const run of runs) {
    for (; to < run.to; to++) {
      add(to, 1)
      gained += gains[to] ?? 0
    }
    for (; from < run.from; from++) {
      add(from, -1)
      gained -= gains[from] ?? 0
    }
    const first = sentences[run.from]
    matches.push(gained + wordMatch(first ? withCountsOf(headOf(first, sentences), inRun) : inRun, idf))
    if (matches.length % SENTENCES_PER_STEP === 0) yield
  }
  return matches
}

/** Match of each run with the query in standard deviations, and what it gains at the borders of paragraphs. */
function* scoresOf(
  runs: readonly Run[],
  sentences: readonly MeasuredSentence[],
  gains: readonly number[],
  terms: number,
): Steps<number[]> {
  const matches = yield* matchesOf(runs, sentences, gains, terms)
  const unit = Math.max(LEAST_DEVIATION, deviation(matches))
  return runs.map(({ from, to }, at) => {
    const first = sentences[from]
    // A run inside of a table begins with the head of the table.
    const [shown] = first ? [...headOf(first, sentences), first] : []
    const begins = shown?.beginsParagraph ? BEGINS_PARAGRAPH : 0
    const ends = sentences[to - 1]?.endsParagraph ? ENDS_PARAGRAPH : 0
    return (matches[at] ?? 0) / unit + begins + ends
  })
}

/** Counts with those of the head of a table, which comes with the run. */
function withCountsOf(head: readonly MeasuredSentence[], counts: Counts): Counts {
  if (head.length === 0) return counts
  const all = new Map(counts)
  for (const row of head) for (const [term, count] of row.counts) all.set(term, (all.get(term) ?? 0) + count)
  return all
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

/** A run, below the head of its table, without what it should not end with, cut at its end until it fits; null when nothing is left. */
function* fitting(
  { from, to }: Run,
  sentences: readonly MeasuredSentence[],
  candidate: Candidate,
  room: number,
  cost: CostModel,
): Steps<Unit[] | null> {
  const first = sentences[from]
  const head = first ? headOf(first, sentences).map(({ start, end }) => unitOf(candidate, start, end)) : []
  for (let end = to; first && end > from; end--) {
    const last = sentences[end - 1]
    if (!last || last.opens) continue
    if (!saysSomething(candidate.chunk.text.slice(first.start, last.end))) return null
    const run = unitOf(candidate, first.start, last.end)
    const foot = footOf(last, sentences).map(({ start, end }) => unitOf(candidate, start, end))
    const tokens = (yield* cost.costsOf([...head, run, ...foot])).reduce((sum, own) => sum + own, 0)
    // Where the context turns out to be too long, what comes last goes first: not the end of the code without its lines.
    if (tokens <= room) return [...head, ...foot, run]
    yield
  }
  return null
}
