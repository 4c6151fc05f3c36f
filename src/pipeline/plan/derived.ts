import type { Intent } from '../../core/types.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import type { ContextRequest } from '../context-request.ts'
import { overridePlan } from './override-plan.ts'
import type { ListWeights, Plan } from './plan.ts'

/** MMR's share of relevance where `RERANKER=mmr` asks for MMR and no other share is set. */
const DEFAULT_MMR_ALPHA = 0.5

/** Whether the plan uses a reranker that is a model or an endpoint. */
export function reranks({ rerank }: Plan): boolean {
  return (rerank.method === 'crossencoder' || rerank.method === 'http') && rerank.blend > 0
}

/** The weights in force for an intent: its preset when they are adaptive, else the fixed ones. Reranking lengthens the lists to its depth. */
export function listWeights(plan: Plan, intent: Intent | null): ListWeights {
  const { adaptive, presets, weights } = plan.retrieval
  const chosen = adaptive && intent !== null ? presets[intent] : weights
  return reranks(plan) ? { ...chosen, k: Math.max(chosen.k, plan.rerank.depth) } : chosen
}

/** MMR's share of relevance in [0,1]; null when MMR is off. */
export function mmrAlpha({ diversity, rerank }: Plan): number | null {
  return diversity.mmrAlpha ?? (rerank.method === 'mmr' ? DEFAULT_MMR_ALPHA : null)
}

/** The plan with what a request may decide itself. */
export function planForRequest(plan: Plan, request: ContextRequest): Plan {
  return overridePlan(plan, {
    budgetTokens: request.budget_tokens,
    tokenizerModel: request.model,
    maxChunks: request.limit,
    format: request.format,
    order: request.order,
  })
}

/** Identifies a plan: 16 hexadecimal digits, equal for equal values. */
export function planFingerprint(plan: Plan): string {
  return fingerprint(plan)
}
