import { longestPrefix } from '../../core/prefix.ts'
import type { ContextFormat } from '../../core/types.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import { evidenceFigures, garbageFraction, placeRecall, redundancyRatio } from './context.ts'
import type { Measured } from './measures.ts'
import { plainText } from './plain-text.ts'
import type { QueryEvidence } from './query-evidence.ts'
import { contextPrecision, type HeldGolds, ndcgAt, recallAt, reciprocalRank } from './ranking.ts'
import { foundSpans } from './reference-tokens.ts'

/** A chunk as an arm ranked or packed it. */
export interface RankedText {
  /** Point id as text. */
  id: string
  docId: string
  text: string
}

/** One query under one arm at one budget. */
export interface ReplayRun {
  context: string
  format: ContextFormat
  /** The chunks of the context in its order, with the text that is packed of each. */
  packed: RankedText[]
  /** The candidates that reached packing, best first; null when the arm does not tell. */
  ranked: RankedText[] | null
  /** Ranges of the packed text in its documents; null when the arm does not tell. A chunk that is cut to sentences has several. */
  spans: DocumentSpan[] | null
  stageMs: Record<string, number>
  totalMs: number
  /** Codes of degradations. */
  degraded: string[]
  /** Null when the arm gives none. */
  trace: () => Trace | null
  /** All candidates of the trace with their whole texts; absent when the arm does not tell. */
  candidates?: () => RankedText[]
}

/** The measures of one run. */
export interface RunFigures {
  measures: Measured
  /** Tokens over the budget before the cut. */
  overrun: number
  /** Word tokens that the run reports as packed and that are not in the context. */
  lost: number
  ms: number
  stageMs: Record<string, number>
  degraded: string[]
  chunkIds: string[]
}

/** What runs are measured with. */
export interface MeasureWith {
  /** The documents by id; empty when only the texts of the gold passages are known. */
  texts: ReadonlyMap<string, string>
  /** The reference tokenizer, which is the same for all arms. */
  countTokens(text: string): number
}

/**
 * Measures a run at its budget. A context over the budget is cut at its end, so that arms are compared at equal cost, and only text in the
 * remaining context counts as packed.
 */
export function measureRun(
  run: ReplayRun,
  budgetTokens: number,
  evidence: QueryEvidence,
  { texts, countTokens }: MeasureWith,
): RunFigures {
  const counted = countTokens(run.context)
  const fits = counted <= budgetTokens
  const context = fits ? run.context : longestPrefix(run.context, prefix => countTokens(prefix) <= budgetTokens)
  // The other formats escape text, so the text of a span cannot be found in them.
  const verifiable = run.format === 'markdown' || !fits
  const claimed = run.spans ?? []
  const { spans, lost } = verifiable ? foundSpans(claimed, texts, context) : { spans: claimed, lost: 0 }
  const { goldPassages } = evidence.query
  const common = evidence.in(plainText(context, run.format))
  const { recall, all, covered } = evidenceFigures(common.golds)
  return {
    measures: {
      recall,
      all_found: all,
      covered,
      place_recall: run.spans && placeRecall(goldPassages, spans, texts),
      ...packedFigures(run.packed, evidence),
      ...rankingFigures(run.ranked, evidence),
      garbage: garbageFraction(common),
      redundancy: redundancyRatio(context),
      tokens: fits ? counted : countTokens(context),
      degraded: run.degraded.length > 0 ? 1 : 0,
      faithfulness: null,
      answer_relevance: null,
    },
    overrun: Math.max(0, counted - budgetTokens),
    lost,
    ms: run.totalMs,
    stageMs: run.stageMs,
    degraded: [...new Set(run.degraded)],
    chunkIds: run.packed.map(({ id }) => id),
  }
}

function packedFigures(packed: readonly RankedText[], evidence: QueryEvidence) {
  const held = packed.map(({ text }) => evidence.heldBy(text))
  return {
    context_precision: contextPrecision(held),
    context_recall: recallAt(held, evidence.query.goldPassages.length, held.length),
  }
}

function rankingFigures(ranked: readonly RankedText[] | null, evidence: QueryEvidence) {
  if (ranked === null) return { recall_at_1: null, recall_at_5: null, recall_at_20: null, mrr: null, ndcg_at_10: null }
  const { goldPassages } = evidence.query
  const held = goldPassages.every(({ kind }) => kind === 'document')
    ? heldByDocuments(ranked, evidence)
    : ranked.map(({ text }) => evidence.heldBy(text))
  const grades = goldPassages.map(({ grade }) => grade)
  return {
    recall_at_1: recallAt(held, grades.length, 1),
    recall_at_5: recallAt(held, grades.length, 5),
    recall_at_20: recallAt(held, grades.length, 20),
    mrr: reciprocalRank(held),
    ndcg_at_10: ndcgAt(held, grades, 10),
  }
}

/** Documents in the order of their best chunks. Sets that judge documents are published with such figures. */
function heldByDocuments(ranked: readonly RankedText[], { query }: QueryEvidence): HeldGolds[] {
  return [...new Set(ranked.map(({ docId }) => docId))].map(docId =>
    query.goldPassages.flatMap(({ place }, gold) => (place?.docId === docId ? [gold] : [])),
  )
}
