import type { Steps } from '../core/steps.ts'
import type { Candidate, Dropped, FilterResult } from '../core/types.ts'
import { cosine, jaccard, roundedSimilarity } from '../text/similarity.ts'
import { distinctIn } from '../text/slices.ts'
import { terms } from '../text/terms/terms.ts'
import { cutTo } from './cut.ts'

/** A candidate that is not chosen yet. */
interface Row {
  candidate: Candidate
  /** Rank by value, from 1. */
  rank: number
  /** The most similar chosen candidate and its similarity; null and 0 before the first choice. */
  nearest: Candidate | null
  similarity: number
}

/**
 * Orders by maximal marginal relevance (Carbonell and Goldstein 1998): repeatedly chooses the candidate with the largest
 * `α·relevance − (1−α)·max similarity to the chosen`, until `topK` are chosen. Values do not change.
 *
 * Similarity is the cosine of the dense vectors when all candidates have one, else the Jaccard index of their terms. A dropped
 * candidate with a rank by value within `topK` is `redundant`; others are `rerank_cut`.
 *
 * @param candidates best first, values about [0,1]
 * @param alpha share of relevance in [0,1]; null keeps the order and only cuts
 * @param topK number of candidates to keep; null keeps all
 */
export function* diversify(
  candidates: readonly Candidate[],
  alpha: number | null,
  topK: number | null,
): Steps<FilterResult> {
  if (alpha === null) return cutTo(candidates, topK, 'rerank_cut')
  const similarityOf = yield* createSimilarity(candidates)
  const size = Math.min(topK ?? candidates.length, candidates.length)
  const open = candidates.map((candidate, index): Row => ({ candidate, rank: index + 1, nearest: null, similarity: 0 }))
  const kept: Candidate[] = []
  const gain = ({ candidate, similarity }: Row) => alpha * candidate.value - (1 - alpha) * similarity
  while (kept.length < size) {
    // Rows are sorted by rank, so the better value wins a tie.
    const best = open.reduce((top, row) => (gain(row) > gain(top) ? row : top))
    open.splice(open.indexOf(best), 1)
    kept.push(best.candidate)
    for (const row of open) {
      yield
      const similarity = similarityOf(row.candidate, best.candidate)
      if (row.nearest === null || similarity > row.similarity) {
        row.nearest = best.candidate
        row.similarity = similarity
      }
    }
  }
  return { kept, dropped: open.map(row => dropOf(row, size)) }
}

function dropOf({ candidate, rank, nearest, similarity }: Row, size: number): Dropped {
  if (rank > size || nearest === null) return { candidate, reason: 'rerank_cut', evidence: { rank, cap: size } }
  return { candidate, reason: 'redundant', evidence: { of: nearest.key, similarity: roundedSimilarity(similarity) } }
}

function* createSimilarity(candidates: readonly Candidate[]): Steps<(a: Candidate, b: Candidate) => number> {
  if (candidates.every(({ vector }) => vector !== undefined))
    return (a, b) => (a.vector && b.vector ? cosine(a.vector, b.vector) : 0)
  const termsOf = new Map<string, ReadonlySet<string>>()
  for (const { key, chunk } of candidates) termsOf.set(key, yield* distinctIn(chunk.text, terms))
  const none: ReadonlySet<string> = new Set()
  return (a, b) => jaccard(termsOf.get(a.key) ?? none, termsOf.get(b.key) ?? none) ?? 0
}
