import type { Candidate, Dropped, FilterResult } from '../../core/types.ts'
import type { Plan } from '../plan/plan.ts'
import type { Relevance } from './relevance.ts'

/** Least relevance of a passage that is no filler. Measured: docs/results.md. */
export const LEAST_RELEVANT = 0.01

/**
 * Leaves out what is not relevant enough for the plan: every candidate below `minRelevance`, and with the fill `relevant` those below
 * `LEAST_RELEVANT`, except the best one.
 * @param candidates best first
 */
export function dropIrrelevant(
  candidates: Candidate[],
  relevanceOf: (candidate: Candidate) => Relevance,
  { fill, minRelevance }: Pick<Plan['packing'], 'fill' | 'minRelevance'>,
): FilterResult {
  if (fill === 'all' && minRelevance === 0) return { kept: candidates, dropped: [] }
  const kept: Candidate[] = []
  const dropped: Dropped[] = []
  for (const candidate of candidates) {
    const { relevance } = relevanceOf(candidate)
    const isFiller = fill === 'relevant' && relevance < LEAST_RELEVANT && candidate !== candidates[0]
    const drop = (reason: Dropped['reason'], least: number) =>
      dropped.push({ candidate, reason, evidence: { detail: `relevance ${relevance}, least ${least}` } })
    if (relevance < minRelevance) drop('below_threshold', minRelevance)
    else if (isFiller) drop('filler', LEAST_RELEVANT)
    else kept.push(candidate)
  }
  return { kept, dropped }
}
