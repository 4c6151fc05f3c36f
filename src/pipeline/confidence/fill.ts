import type { Candidate, Dropped, FilterResult } from '../../core/types.ts'
import type { Plan } from '../plan/plan.ts'
import { type Relevance, rounded } from './relevance.ts'

/** A passage of this relevance is no filler. Measured: docs/results.md. */
const LEAST_RELEVANT = 0.01
/** Nor is one with this share of the best relevance: where the reranker finds little in all passages, it says little against any of them. */
const SHARE_OF_BEST = 0.1

/**
 * Leaves out what is not relevant enough for the plan: every candidate below `minRelevance`, and with the fill `relevant` filler, except the best one.
 * @param candidates best first
 */
export function dropIrrelevant(
  candidates: Candidate[],
  relevanceOf: (candidate: Candidate) => Relevance,
  { fill, minRelevance }: Pick<Plan['packing'], 'fill' | 'minRelevance'>,
): FilterResult {
  if (fill === 'all' && minRelevance === 0) return { kept: candidates, dropped: [] }
  const relevances = candidates.map(candidate => relevanceOf(candidate).relevance)
  const leastRelevant = Math.min(LEAST_RELEVANT, SHARE_OF_BEST * Math.max(0, ...relevances))
  const kept: Candidate[] = []
  const dropped: Dropped[] = []
  for (const [at, candidate] of candidates.entries()) {
    const relevance = relevances[at] ?? 0
    const isFiller = fill === 'relevant' && relevance < leastRelevant && at > 0
    const drop = (reason: Dropped['reason'], least: number) =>
      dropped.push({ candidate, reason, evidence: { detail: `relevance ${relevance}, least ${least}` } })
    if (relevance < minRelevance) drop('below_threshold', minRelevance)
    else if (isFiller) drop('filler', rounded(leastRelevant))
    else kept.push(candidate)
  }
  return { kept, dropped }
}
