import type { Candidate } from '../core/types.ts'
import { byValue } from './order.ts'

/**
 * Blends the relevance of the reranker into the values and sorts: `(1 − w)·value + w·relevance/max(relevance)`. The maximum scales
 * the relevance, because it is small for all passages when none answers the query directly. A candidate behind those that were asked counts as
 * one without relevance: it must not pass those that the reranker has read. One whose score is missing keeps its value.
 *
 * @param candidates values in [0,1], see `scaleToBest`
 * @param scores relevance in [0,1] of the first candidates, in their order; null when it is missing
 * @param weight w in [0,1]: 0 keeps the order, 1 uses the reranker alone
 */
export function blend(
  candidates: readonly Candidate[],
  scores: readonly (number | null)[],
  weight: number,
): Candidate[] {
  const top = Math.max(Number.MIN_VALUE, ...scores.map(score => score ?? 0))
  const isScored = scores.some(score => score !== null)
  return candidates
    .map((candidate, index) => {
      const rerank = scores[index] ?? null
      const isMissing = !isScored || (index < scores.length && rerank === null)
      if (isMissing) return candidate
      return { ...candidate, rerank, value: (1 - weight) * candidate.value + (weight * (rerank ?? 0)) / top }
    })
    .sort(byValue)
}
