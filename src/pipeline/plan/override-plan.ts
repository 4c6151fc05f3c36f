import type { Intent } from '../../core/types.ts'
import type { ContextRequest } from '../context-request.ts'
import type { ListWeights, Plan } from './plan.ts'

/** A plan with some of its values set by hand; absent ones stand as they are. */
export type PlanOverrides = {
  [Section in keyof Plan]?: Plan[Section] extends object | null ? Partial<Plan[Section]> | null : Plan[Section]
}

/** The plan with overrides laid over it, section by section, and frozen through and through. */
export function overridePlan(plan: Plan, overrides: PlanOverrides): Plan {
  const merged: Record<string, unknown> = { ...plan }
  for (const [section, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    const base = merged[section]
    merged[section] = isRecord(base) && isRecord(value) ? { ...base, ...withoutUndefined(value) } : value
  }
  return deepFreeze(merged) as unknown as Plan
}

/** What a request itself may decide of the plan. */
export function planForRequest(plan: Plan, request: ContextRequest): Plan {
  return overridePlan(plan, {
    ...(request.budget_tokens === undefined ? {} : { budgetTokens: request.budget_tokens }),
    ...(request.model === undefined ? {} : { tokenizerModel: request.model }),
    ...(request.limit === undefined ? {} : { maxChunks: request.limit }),
    ...(request.format === undefined ? {} : { format: request.format }),
    ...(request.order === undefined ? {} : { order: request.order }),
  })
}

/** The weights in force for an intent: its preset when adaptive, else the fixed ones. Reranking lengthens lists so that its depth is met. */
export function listWeights(plan: Plan, intent: Intent | null): ListWeights {
  const { adaptive, presets, weights } = plan.retrieval
  const chosen = adaptive && intent !== null ? presets[intent] : weights
  const reranks = plan.rerank.method === 'crossencoder' || plan.rerank.method === 'http'
  return reranks ? { ...chosen, perList: Math.max(chosen.perList, plan.rerank.depth) } : chosen
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const entry of Object.values(value)) deepFreeze(entry)
  }
  return value
}
