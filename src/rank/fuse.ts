import type { Candidate, Signal } from '../core/types.ts'
import { candidateBm25 } from '../text/candidate-bm25.ts'
import { byValue } from './order.ts'

export interface FusionOptions {
  method: 'values' | 'rrf'
  /** Rank constant k of reciprocal rank fusion; ranks count from 1. */
  rrfK: number
  /** Whether BM25 counted inside the pool stands in for the keyword list's scores. */
  candidateBm25: boolean
  /** Dense weight in [0,1] when the store told the cosine of only some candidates. */
  partialDenseWeight: number
  weights: { dense: number; keyword: number }
}

/** One column of the fusion table: a source's score for each candidate, null where it has none. */
interface Column {
  source: string
  kind: Signal['kind']
  scores: (number | null)[]
  ranks: (number | null)[]
}

/**
 * Scores every candidate by its signals and sorts best first; ties break by key, so equal input gives equal output.
 * Each signal's contribution stays on the candidate and `fused` is their sum.
 *
 * - `values`: Σ w·minmax(score) over the union, weights normalised to 1, a missing score counting as the list's minimum
 *   (Bruch, Gai, Ingber 2023, "An Analysis of Fusion Functions for Hybrid Retrieval"); the pool's BM25 is scaled by its maximum.
 * - `rrf`: Σ w/(k + rank) (Cormack, Clarke, Büttcher 2009).
 *
 * This is stowage's own fusion for ranking. `qdrant/fusion.ts` computes the scores that Qdrant's fusion gives: there the
 * ranks count from 0, k is 2 by default, a weight divides the rank, and the sums are in float32.
 *
 * @param query text for the pool's own BM25; null when the door knows none, and then that signal is absent
 */
export function fuse(candidates: readonly Candidate[], query: string | null, options: FusionOptions): Candidate[] {
  const columns = readColumns(candidates)
  if (options.method === 'values' && options.candidateBm25 && query !== null)
    columns.push(lexicalColumn(candidates, query))
  const weights = columnWeights(columns, options)
  const parts = columns.map((column, index) => contributions(column, weights[index] ?? 0, options))
  return candidates
    .map((candidate, row) => {
      const signals = columns.flatMap((column, index) => {
        const contribution = parts[index]?.[row] ?? 0
        const rank = column.ranks[row] ?? null
        const score = column.scores[row] ?? null
        const signal = {
          source: column.source,
          kind: column.kind,
          rank,
          score,
          weight: weights[index] ?? 0,
          contribution,
        }
        return rank === null && score === null && contribution === 0 ? [] : [signal]
      })
      const fused = signals.reduce((sum, signal) => sum + signal.contribution, 0)
      return { ...candidate, signals, fused, value: fused }
    })
    .sort(byValue)
}

function readColumns(candidates: readonly Candidate[]): Column[] {
  const columns = new Map<string, Column>()
  candidates.forEach((candidate, row) => {
    for (const { source, kind, score, rank } of candidate.signals) {
      const column = columns.get(source) ?? { source, kind, scores: [], ranks: [] }
      column.scores[row] = score
      column.ranks[row] = rank
      columns.set(source, column)
    }
  })
  return [...columns.values()].sort((a, b) => (a.source < b.source ? -1 : 1))
}

function lexicalColumn(candidates: readonly Candidate[], query: string): Column {
  const documents = candidates.map(({ chunk }) => `${chunk.docTitle}\n${chunk.sectionPath}\n${chunk.text}`)
  return { source: 'candidate_bm25', kind: 'lexical', scores: candidateBm25(query, documents), ranks: [] }
}

/**
 * The pool's BM25 knows every candidate, so it takes the keyword lists' whole weight. A dense list that does not know
 * every candidate speaks with a lower one: measured, a missing cosine at full weight costs 6 to 7 points of recall.
 */
function columnWeights(columns: readonly Column[], options: FusionOptions): number[] {
  const lexical = columns.some(column => column.kind === 'lexical')
  const partial =
    options.method === 'values' && columns.some(column => column.kind === 'dense' && hasGaps(column, columns))
  const dense = partial ? Math.min(options.weights.dense, options.partialDenseWeight) : options.weights.dense
  const keyword = partial ? Math.max(options.weights.keyword, 1 - options.partialDenseWeight) : options.weights.keyword
  const share = { dense, keyword: lexical ? 0 : keyword, lexical: keyword, other: 0.5 }
  const counts = new Map<Signal['kind'], number>()
  for (const { kind } of columns) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const raw = columns.map(({ kind }) => share[kind] / (counts.get(kind) ?? 1))
  const total = raw.reduce((sum, weight) => sum + weight, 0)
  if (total > 0) return raw.map(weight => weight / total)
  return columns.map(() => 1 / columns.length)
}

function hasGaps(column: Column, columns: readonly Column[]): boolean {
  const rows = Math.max(...columns.map(({ scores }) => scores.length))
  for (let row = 0; row < rows; row++) if (typeof column.scores[row] !== 'number') return true
  return false
}

function contributions(column: Column, weight: number, options: FusionOptions): number[] {
  if (options.method === 'rrf') {
    return Array.from(column.ranks, rank => (rank === null || rank === undefined ? 0 : weight / (options.rrfK + rank)))
  }
  const scaled = column.kind === 'lexical' ? shareOfMax(column.scores) : minmax(column.scores)
  return scaled.map(value => weight * value)
}

/**
 * Scales BM25 by its maximum: its zero means "no query term", so differences keep their size. Min-max would stretch the noise of a
 * query whose terms stand in every candidate to the full range and drown what the other signals know.
 */
function shareOfMax(scores: readonly (number | null | undefined)[]): number[] {
  const top = Math.max(0, ...Array.from(scores, score => score ?? 0))
  return Array.from(scores, score => (top > 0 ? (score ?? 0) / top : 0))
}

/** Scales to [0,1] over the known values; unknown counts as the minimum, and when all known values are equal they are 1. */
export function minmax(scores: readonly (number | null | undefined)[]): number[] {
  const known = Array.from(scores).filter((score): score is number => typeof score === 'number')
  const low = Math.min(...known)
  const range = Math.max(...known) - low
  return Array.from(scores, score => {
    if (typeof score !== 'number') return 0
    return range > 0 ? (score - low) / range : 1
  })
}
