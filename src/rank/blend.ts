import type { Candidate } from '../core/types.ts'
import { byValue } from './order.ts'

/**
 * Blends the relevance of the reranker into the values and sorts: `(1 − w)·value + w·relevance/max(relevance)`. The maximum scales
 * the relevance, because it is small for all passages when none answers the query directly. Unscored candidates keep their value.
 *
 * @param candidates values in [0,1], see `scaleToBest`
 * @param scores relevance in [0,1], in the order of the candidates; null or missing when not scored
 * @param weight w in [0,1]: 0 keeps the order, 1 uses the reranker alone
 */
export function blend(
  candidates: readonly Candidate[],
  scores: readonly (number | null)[],
  weight: number,
): Candidate[] {
  const top = Math.max(Number.MIN_VALUE, ...scores.map(score => score ?? 0))
  return candidates
    .map((candidate, index) => {
      const rerank = scores[index] ?? null
      if (rerank === null) return candidate
      return { ...candidate, rerank, value: (1 - weight) * candidate.value + (weight * rerank) / top }
    })
    .sort(byValue)
}
