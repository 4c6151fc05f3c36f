import type { Candidate } from '../core/types.ts'
import { byValue } from './order.ts'

/**
 * Blends the reranker's relevance into the fused value: `(1 − w)·fused/max(fused) + w·relevance/max(relevance)`, and sorts by it.
 * Both are scaled to their best, for a calibrated relevance is small throughout where no passage answers outright, and unscaled it would
 * then say next to nothing. A candidate without a score (the deadline came first) keeps its fused value.
 *
 * @param scores relevance in [0,1] for the first candidates, in their order; null or absent where not scored
 * @param weight w in [0,1]: 0 leaves the fused order, 1 is the reranker's alone
 */
export function blend(
  candidates: readonly Candidate[],
  scores: readonly (number | null)[],
  weight: number,
): Candidate[] {
  const scaled = scaleToOne(candidates)
  const top = Math.max(Number.MIN_VALUE, ...scores.map(score => score ?? 0))
  return scaled
    .map((candidate, index) => {
      const rerank = scores[index] ?? null
      if (rerank === null) return candidate
      return { ...candidate, rerank, value: (1 - weight) * candidate.value + (weight * rerank) / top }
    })
    .sort(byValue)
}

/** Divides values by the largest, so that the best is 1 and weights mean the same whatever the fusion was. */
export function scaleToOne(candidates: readonly Candidate[]): Candidate[] {
  const top = Math.max(0, ...candidates.map(({ value }) => value))
  return top > 0 ? candidates.map(candidate => ({ ...candidate, value: candidate.value / top })) : [...candidates]
}
