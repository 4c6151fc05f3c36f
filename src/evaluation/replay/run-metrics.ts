import { longestPrefix } from '../../core/prefix.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import { type EvidenceFigures, evidenceFigures, garbageFraction, redundancyRatio } from '../metrics/context.ts'
import { type PackedSpan, standingSpans } from '../metrics/reference-tokens.ts'

/** One pass of a query through the pipeline under one plan. */
export interface ReplayRun {
  context: string
  /** As the pipeline counted the context. */
  tokens: number
  /** Where the packed text comes from; a text cut to sentences has several. */
  spans: PackedSpan[]
  chunkIds: string[]
  stageMs: Record<string, number>
  totalMs: number
  /** Codes of the steps that could not do their work. */
  degraded: string[]
}

/** What one packed context is worth, all in tokens of the reference tokenizer. */
export interface RunFigures extends EvidenceFigures {
  garbage: number | null
  redundancy: number
  tokens: number
  /** Tokens by which the context was over its budget before it was cut to it. */
  overrun: number
  /** Tokens (of the measures) said to be packed that do not stand in the context. */
  lost: number
  ms: number
  stageMs: Record<string, number>
  chunkIds: string[]
}

/**
 * Measures a run at its plan's budget. The context is counted anew with `countTokens`, the same reference tokenizer for every arm; one over its budget is
 * cut blindly at its end, so that arms are compared at equal cost, and only text that stands in what is left counts as packed.
 */
export function measureRun(
  run: ReplayRun,
  plan: Plan,
  query: GoldenQuery,
  texts: ReadonlyMap<string, string>,
  countTokens: (text: string) => number,
): RunFigures {
  const counted = countTokens(run.context)
  const context = longestPrefix(run.context, prefix => countTokens(prefix) <= plan.budgetTokens)
  // The other formats escape text, so what stands in them cannot be looked up as it is.
  const verifiable = plan.format === 'markdown' || context !== run.context
  const { spans, lost } = verifiable ? standingSpans(run.spans, texts, context) : { spans: run.spans, lost: 0 }
  return {
    ...evidenceFigures(query.goldPassages, spans, texts),
    garbage: garbageFraction(context, query.goldPassages, spans, texts),
    redundancy: redundancyRatio(context),
    tokens: context === run.context ? counted : countTokens(context),
    overrun: Math.max(0, counted - plan.budgetTokens),
    lost,
    ms: run.totalMs,
    stageMs: run.stageMs,
    chunkIds: run.chunkIds,
  }
}
