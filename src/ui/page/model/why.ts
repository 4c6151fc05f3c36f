import { GoldFinder } from '../../../evaluation/metrics/common-runs.ts'
import { wordsOf } from '../../../evaluation/metrics/reference-words.ts'
import type { Trace } from '../../../pipeline/trace/schema.ts'
import { sharedTerms, termsOf } from './marks.ts'
import type { Row, Run } from './run.ts'

/** What is known of the passage that a reader asks about. */
export interface Why {
  /** How the candidates were found; null when none is meant. */
  by: 'id' | 'document' | 'text' | null
  /** The candidates that are meant, or the nearest ones when none is. */
  rows: Row[]
}

const MOST_ROWS = 12
const NEAREST = 3
/** A text is that of a candidate from this share of its words on, in runs of five. */
const SAME_SHARE = 0.5

/** Finds the candidates with this id of a point, with this document, or with this text. */
export function whatHappened(asked: string, { rows }: Run): Why {
  const wanted = asked.trim()
  const low = wanted.toLowerCase()
  const named = rows.filter(({ key, candidate }) => String(candidate.id) === wanted || key === wanted)
  if (named.length > 0) return { by: 'id', rows: named }
  const ofDocument = rows.filter(({ candidate: { doc_id }, name }) =>
    [doc_id.toLowerCase(), name.toLowerCase(), name.toLowerCase().split(' > ')[0]].includes(low),
  )
  if (ofDocument.length > 0) return { by: 'document', rows: ofDocument.slice(0, MOST_ROWS) }
  const withText = ordered(rows, row => shareIn(row, wanted)).filter(({ value }) => value >= SAME_SHARE)
  if (withText.length > 0) return { by: 'text', rows: withText.slice(0, MOST_ROWS).map(({ row }) => row) }
  const terms = termsOf(wanted)
  const nearest = ordered(rows, row => sharedTerms(terms, `${row.name} ${row.text ?? ''}`)).filter(
    ({ value }) => value > 0,
  )
  return { by: null, rows: nearest.slice(0, NEAREST).map(({ row }) => row) }
}

/** Share of the words of a text that a candidate holds. */
function shareIn({ text, name }: Row, wanted: string): number {
  const { found = 0, total = 0 } = new GoldFinder([wanted]).in(`${name}\n${text ?? ''}`).golds[0] ?? {}
  // One word is in too many passages to name one.
  return total < 2 ? 0 : found / total
}

function ordered(rows: readonly Row[], worthOf: (row: Row) => number): { row: Row; value: number }[] {
  return rows.map(row => ({ row, value: worthOf(row) })).sort((a, b) => b.value - a.value)
}

/** The end of a list of the searches: what scored less is no candidate. */
export interface ListEnd {
  source: string
  rank: number
  score: number | null
}

export function listEnds({ candidates }: Trace): ListEnd[] {
  const ends = new Map<string, ListEnd>()
  for (const { source, kind, rank, score } of candidates.flatMap(({ lists }) => lists)) {
    if (kind === 'lexical' || rank === null) continue
    const last = ends.get(source)
    if (last === undefined || rank > last.rank) ends.set(source, { source, rank, score })
  }
  return [...ends.values()]
}

/** For example `3 of 5`. */
export function termsOfQuestion(question: string, text: string): { shared: number; asked: number } {
  const asked = termsOf(question)
  return { shared: sharedTerms(asked, text), asked: asked.size }
}

/** Whether a text could be the id of a point: digits, or a UUID. */
export function mayBeId(text: string): boolean {
  return /^(?:\d{1,20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/iu.test(text.trim())
}

export function hasWords(text: string): boolean {
  return wordsOf(text).length > 0
}
