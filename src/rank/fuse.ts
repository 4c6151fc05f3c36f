import { compareText, countOf } from '../core/collections.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate, Signal } from '../core/types.ts'
import { candidateBm25 } from '../text/candidate-bm25.ts'
import { byValue } from './order.ts'
import { searchedText } from './searched-text.ts'

export interface FusionOptions {
  method: 'values' | 'rrf'
  /** Rank constant k of reciprocal rank fusion; ranks count from 1. */
  rrfK: number
  /** For `values`: whether the BM25 over the candidates replaces the scores of the keyword list. */
  candidateBm25: boolean
  /** For `values`: highest dense weight when some candidates have no cosine, in [0,1]. */
  partialDenseWeight: number
  weights: { dense: number; keyword: number }
}

/** The scores and ranks of one source, one per candidate; null where it has none. */
interface Column {
  source: string
  kind: Signal['kind']
  scores: (number | null)[]
  ranks: (number | null)[]
}

/**
 * Sets signals, `fused` (the sum of their contributions) and `value` (the same number), and sorts by value.
 *
 * - `values`: Σ w·minmax(score), with the weights scaled to the sum 1 and a missing score counted as the minimum
 *   (Bruch, Gai, Ingber 2023, "An Analysis of Fusion Functions for Hybrid Retrieval").
 * - `rrf`: Σ w/(k + rank) (Cormack, Clarke, Büttcher 2009).
 *
 * `qdrant/fusion.ts` is another fusion: it computes the scores of Qdrant, where ranks count from 0, k is 2 by default, a weight
 * divides the rank, and sums are float32.
 *
 * @param query for the BM25 over the candidates; null leaves it out
 */
export function* fuse(
  candidates: readonly Candidate[],
  query: string | null,
  options: FusionOptions,
): Steps<Candidate[]> {
  const columns = readColumns(candidates)
  if (options.method === 'values' && options.candidateBm25 && query !== null)
    columns.push(yield* lexicalColumn(candidates, query))
  const weights = columnWeights(columns, options)
  const contributions = columns.map((column, index) => contributionsOf(column, weights[index] ?? 0, options))
  return candidates
    .map((candidate, row) => {
      const all = columns.map(({ source, kind, ranks, scores }, index): Signal => {
        const contribution = contributions[index]?.[row] ?? 0
        const weight = weights[index] ?? 0
        return { source, kind, rank: ranks[row] ?? null, score: scores[row] ?? null, weight, contribution }
      })
      const signals = all.filter(
        ({ rank, score, contribution }) => rank !== null || score !== null || contribution !== 0,
      )
      const fused = signals.reduce((sum, signal) => sum + signal.contribution, 0)
      return { ...candidate, signals, fused, value: fused }
    })
    .sort(byValue)
}

function readColumns(candidates: readonly Candidate[]): Column[] {
  const columns = new Map<string, Column>()
  const empty = candidates.map(() => null)
  candidates.forEach((candidate, row) => {
    for (const { source, kind, score, rank } of candidate.signals) {
      const column = columns.get(source) ?? { source, kind, scores: [...empty], ranks: [...empty] }
      column.scores[row] = score
      column.ranks[row] = rank
      columns.set(source, column)
    }
  })
  return [...columns.values()].sort((a, b) => compareText(a.source, b.source))
}

function* lexicalColumn(candidates: readonly Candidate[], query: string): Steps<Column> {
  const documents = candidates.map(({ chunk }) => searchedText(chunk))
  const scores = yield* candidateBm25(query, documents)
  return { source: 'candidate_bm25', kind: 'lexical', scores, ranks: scores.map(() => null) }
}

/**
 * Weights of the columns, with the sum 1. The BM25 over the candidates has a score for each of them, so it takes the whole weight
 * of the keyword lists. A dense list without a score for some candidate gets less weight: measured, full weight costs 6 to 7
 * points of recall.
 */
function columnWeights(columns: readonly Column[], { method, weights, partialDenseWeight }: FusionOptions): number[] {
  const hasLexical = columns.some(({ kind }) => kind === 'lexical')
  const isPartial = method === 'values' && columns.some(({ kind, scores }) => kind === 'dense' && scores.includes(null))
  const dense = isPartial ? Math.min(weights.dense, partialDenseWeight) : weights.dense
  const keyword = isPartial ? Math.max(weights.keyword, 1 - partialDenseWeight) : weights.keyword
  const share = { dense, keyword: hasLexical ? 0 : keyword, lexical: keyword, other: 0.5 }
  const counts = countOf(columns.map(({ kind }) => kind))
  const raw = columns.map(({ kind }) => share[kind] / (counts.get(kind) ?? 1))
  const total = raw.reduce((sum, weight) => sum + weight, 0)
  return raw.map(weight => (total > 0 ? weight / total : 1 / columns.length))
}

function contributionsOf({ kind, ranks, scores }: Column, weight: number, { method, rrfK }: FusionOptions): number[] {
  if (method === 'rrf') return ranks.map(rank => (rank === null ? 0 : weight / (rrfK + rank)))
  const scaled = kind === 'lexical' ? shareOfMax(scores) : minmax(scores)
  return scaled.map(value => weight * value)
}

/**
 * Divides BM25 scores by their maximum, because a score of 0 has a meaning: no query term. When all candidates contain the query
 * terms, min-max scaling would enlarge small differences to the full range.
 */
function shareOfMax(scores: readonly (number | null)[]): number[] {
  const top = Math.max(0, ...scores.map(score => score ?? 0))
  return scores.map(score => (top > 0 ? (score ?? 0) / top : 0))
}

/** Scales to [0,1]. A missing score counts as the minimum; when all known scores are equal, they become 1. */
export function minmax(scores: readonly (number | null)[]): number[] {
  const known = scores.filter(score => score !== null)
  const low = Math.min(...known)
  const range = Math.max(...known) - low
  return scores.map(score => {
    if (score === null) return 0
    return range > 0 ? (score - low) / range : 1
  })
}
