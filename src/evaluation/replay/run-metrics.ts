import { longestPrefix } from '../../core/prefix.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import { type EvidenceFigures, evidenceFigures, garbageFraction, redundancyRatio } from '../metrics/context.ts'
import { foundSpans, type PackedSpan } from '../metrics/reference-tokens.ts'

/** One query through the pipeline under one plan. */
export interface ReplayRun {
  context: string
  /** Ranges of the packed text in its documents; a chunk that is cut to sentences has several. */
  spans: PackedSpan[]
  chunkIds: string[]
  stageMs: Record<string, number>
  totalMs: number
  /** Codes of degradations. */
  degraded: string[]
}

/** The measures of one packed context. */
export interface RunFigures extends EvidenceFigures {
  garbage: number | null
  redundancy: number
  /** Tokens of the reference tokenizer, after the cut to the budget. */
  tokens: number
  /** Tokens over the budget before the cut. */
  overrun: number
  /** Word tokens that the run reports as packed and that are not in the context. */
  lost: number
  ms: number
  stageMs: Record<string, number>
  chunkIds: string[]
}

/**
 * Measures a run at the budget of its plan. `countTokens` is the reference tokenizer. A context over the budget is cut at its end, so
 * that arms are compared at equal cost, and only text in the remaining context counts as packed.
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
  // The other formats escape text, so the text of a span cannot be found in them.
  const verifiable = plan.format === 'markdown' || context !== run.context
  const { spans, lost } = verifiable ? foundSpans(run.spans, texts, context) : { spans: run.spans, lost: 0 }
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
