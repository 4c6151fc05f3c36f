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

/** What one packed context is worth, all in one ruler's tokens. */
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
 * Measures a run at its plan's budget. The context is counted anew with `countTokens`, the same ruler for every arm; one over its budget is
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
  const context = counted > plan.budgetTokens ? cutToBudget(run.context, plan.budgetTokens, countTokens) : run.context
  // The other formats escape text, so what stands in them cannot be looked up as it is.
  const verifiable = plan.format === 'markdown' || context !== run.context
  const { spans, lost } = verifiable ? standingSpans(run.spans, texts, context) : { spans: run.spans, lost: 0 }
  return {
    ...evidenceFigures(query.golds, spans, texts),
    garbage: garbageFraction(context, query.golds, spans, texts),
    redundancy: redundancyRatio(context),
    tokens: context === run.context ? counted : countTokens(context),
    overrun: Math.max(0, counted - plan.budgetTokens),
    lost,
    ms: run.totalMs,
    stageMs: run.stageMs,
    chunkIds: run.chunkIds,
  }
}

/** The longest prefix (by bisection over characters) that is within the budget. */
export function cutToBudget(text: string, budget: number, countTokens: (text: string) => number): string {
  const characters = Array.from(text)
  let fits = 0
  let exceeds = characters.length + 1
  while (exceeds - fits > 1) {
    const middle = (fits + exceeds) >> 1
    if (countTokens(characters.slice(0, middle).join('')) <= budget) fits = middle
    else exceeds = middle
  }
  return characters.slice(0, fits).join('')
}
