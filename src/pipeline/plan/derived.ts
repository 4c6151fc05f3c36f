import type { Intent, RetrievalMode } from '../../core/types.ts'
import type { FusionOptions } from '../../rank/fuse.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import type { ContextRequest } from '../context-request.ts'
import { overridePlan } from './override-plan.ts'
import type { ListWeights, Plan } from './plan.ts'

/** Share of relevance in MMR when `RERANKER=mmr` and the plan has no `mmrAlpha`. */
const DEFAULT_MMR_ALPHA = 0.5

/** Whether the plan uses a local or remote reranker. */
export function reranks({ rerank }: Plan): boolean {
  return (rerank.method === 'crossencoder' || rerank.method === 'http') && rerank.blend > 0
}

/** Most candidates that a large budget asks for. */
const MOST_WANTED = 500

/** Candidates that a large budget asks for, because fewer would not fill it; 0 when the pool is enough. */
export function candidatesWanted({ budgetTokens, retrieval: { pool, tokensPerCandidate } }: Plan): number {
  const wanted = tokensPerCandidate === null ? 0 : Math.min(MOST_WANTED, Math.floor(budgetTokens / tokensPerCandidate))
  return wanted > pool ? wanted : 0
}

/** Distinct candidates that go on to reranking and packing. */
export function poolSize(plan: Plan): number {
  return Math.max(plan.retrieval.pool, candidatesWanted(plan))
}

/**
 * The weights for an intent: its preset when weights are adaptive, else the fixed ones. Lists have at least `rerank.depth` hits, and what the
 * budget asks for, divided among the collections that are searched.
 */
export function listWeights(plan: Plan, intent: Intent | null, collections = 1): ListWeights {
  const { adaptive, presets, weights } = plan.retrieval
  const chosen = adaptive && intent !== null ? presets[intent] : weights
  const depth = reranks(plan) ? plan.rerank.depth : 0
  return { ...chosen, k: Math.max(chosen.k, depth, Math.ceil(candidatesWanted(plan) / collections)) }
}

/**
 * The weights of the lists in the fusion. Nothing corrects the keywords when no reranker orders the candidates, so the dense list counts more then.
 * A list with the weight 0 keeps it.
 */
export function fusionWeights(plan: Plan, intent: Intent | null, leansOnDense: boolean): FusionOptions['weights'] {
  const { dense, keyword } = listWeights(plan, intent)
  if (!leansOnDense || dense === 0 || keyword === 0) return { dense, keyword }
  const shift = Math.min(keyword, plan.fusion.denseShift * (dense + keyword))
  return { dense: dense + shift, keyword: keyword - shift }
}

/**
 * The plan for the lists that were searched. A semantic search that was asked for is ranked by the dense list, so the BM25 over the
 * candidates is left out. It stays when the collection has no other list, because there it makes up for the keyword list.
 */
export function planForLists(plan: Plan, used: RetrievalMode | null): Plan {
  return plan.retrieval.mode === 'semantic' && used === 'semantic'
    ? overridePlan(plan, { fusion: { candidateBm25: false } })
    : plan
}

/** Share of relevance in MMR, in [0,1]; null when MMR is off. */
export function mmrAlpha({ diversity, rerank }: Plan): number | null {
  return diversity.mmrAlpha ?? (rerank.method === 'mmr' ? DEFAULT_MMR_ALPHA : null)
}

/** The plan with the values that a request can set. */
export function planForRequest(plan: Plan, request: ContextRequest): Plan {
  return overridePlan(plan, {
    budgetTokens: request.budget_tokens,
    tokenizerModel: request.model,
    maxChunks: request.limit,
    format: request.format,
    order: request.order,
    retrieval: { mode: request.mode },
    packing: { fill: request.fill, minRelevance: request.min_relevance ?? request.score_threshold },
  })
}

/** A hash of all plan values: 16 hexadecimal digits. */
export function planFingerprint(plan: Plan): string {
  return fingerprint(plan)
}
