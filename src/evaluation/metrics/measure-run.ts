import { longestPrefix } from '../../core/prefix.ts'
import type { Candidate, ContextFormat, Span } from '../../core/types.ts'
import type { DropReason } from '../../core/vocabulary.ts'
import type { Answerable, Trace } from '../../pipeline/trace/schema.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import type { RunLoss } from '../loss/loss.ts'
import { evidenceFigures, garbageFraction, redundancyRatio, sharesByPlace, sharesByText } from './context.ts'
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

/** A chunk that an arm considered, and what became of it. */
export interface ConsideredText extends RankedText {
  origin: Candidate['origin']
  /** Place among the chunks of its document; null when unknown. */
  orderIndex: number | null
  /** Its range in the document; null when unknown. */
  place: Span | null
  /** Why it is left out; null when it is packed. */
  reason: DropReason | null
  /** From 1: among the candidates that reached packing by value, or after fusion when the pool cut it; else null. */
  rank: number | null
  /** Whether a cap or the chunk limit dropped it. */
  isCapped: boolean
}

/** One query under one arm at one budget. */
export interface ReplayRun {
  context: string
  format: ContextFormat
  /** What the context has beside texts of documents, in its order; absent when the arm does not tell. */
  contextLines?: readonly string[]
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
  /** Whether the documents answer; absent when the arm does not tell. */
  answerable?: Answerable
  /** Null when the arm gives none. */
  trace: () => Trace | null
  /** All candidates of the trace with their whole texts; absent when the arm does not tell. */
  candidates?: () => ConsideredText[]
}

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
  /** Where the gold passages are lost; absent when nobody asked, or when the arm does not tell its candidates. */
  loss?: RunLoss
}

/** The share of each gold passage in the context of one run, in [0,1], in the order of the gold passages. */
export interface FoundShares {
  text: number[]
  /** Null when a place is unknown. */
  place: number[] | null
}

export interface MeasureWith {
  /** The texts of the documents by id, as far as they are known. */
  texts: ReadonlyMap<string, string>
  /** The reference tokenizer, which is the same for all arms. */
  countTokens(text: string): number
}

/**
 * Measures a run at its budget. A context over the budget is cut at its end, so that arms are compared at equal cost, and only text in the
 * remaining context counts as packed. Context lines cost tokens, but they are no text of documents.
 */
export function measureRun(
  run: ReplayRun,
  budgetTokens: number,
  evidence: QueryEvidence,
  { texts, countTokens }: MeasureWith,
): { figures: RunFigures; found: FoundShares } {
  const counted = countTokens(run.context)
  const fits = counted <= budgetTokens
  const context = fits ? run.context : longestPrefix(run.context, prefix => countTokens(prefix) <= budgetTokens)
  const shown = withoutLines(context, run.contextLines ?? [])
  // The other formats escape text, so the text of a span cannot be found in them.
  const verifiable = run.format === 'markdown' || !fits
  const claimed = run.spans ?? []
  const { spans, lost } = verifiable ? foundSpans(claimed, texts, shown) : { spans: claimed, lost: 0 }
  const { goldPassages } = evidence.query
  const common = evidence.in(plainText(shown, run.format))
  const found = { text: sharesByText(common.golds), place: run.spans && sharesByPlace(goldPassages, spans, texts) }
  const { recall, all, covered } = evidenceFigures(found.text)
  const figures: RunFigures = {
    measures: {
      recall,
      all_found: all,
      covered,
      place_recall: found.place && evidenceFigures(found.place).recall,
      ...packedFigures(run.packed, evidence),
      ...rankingFigures(run.ranked, evidence),
      garbage: garbageFraction(common),
      redundancy: redundancyRatio(shown),
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
  return { figures, found }
}

function withoutLines(context: string, lines: readonly string[]): string {
  let rest = context
  let from = 0
  for (const line of lines) {
    const at = rest.indexOf(line, from)
    if (at < 0) continue
    rest = rest.slice(0, at) + rest.slice(at + line.length)
    from = at
  }
  return rest
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
