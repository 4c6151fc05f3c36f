import type { PackedChunk } from '../../pack/pack.ts'
import { storedOrderIndex } from '../../rank/places/derived-places.ts'
import type { ContextChunk, ContextResponse } from '../context-request.ts'
import type { ContextRun } from '../run-context.ts'
import type { RunRecord } from '../run-record.ts'
import type { TraceSubject } from '../trace/build-trace.ts'
import { type Relevance, relevancesBy, rounded } from './relevance.ts'

/** The answer of `/v1/context`: the context, its passages with their relevance, and whether the documents answer the question. */
export function respond(
  { packed: { context, tokens, packed }, evidence, answerable, mode }: ContextRun,
  { plan, traceId }: Pick<TraceSubject, 'plan' | 'traceId'>,
  { corrections, degraded }: Pick<RunRecord, 'corrections' | 'degraded'>,
): ContextResponse {
  const relevanceOf = relevancesBy(evidence)
  return {
    context,
    tokens,
    budget_tokens: plan.budgetTokens,
    chunks: packed.map(chunk => describeChunk(chunk, relevanceOf(chunk.candidate))),
    mode,
    answerable,
    ...(corrections.length > 0 && { corrections: [...corrections] }),
    degraded,
    trace_id: traceId,
  }
}

function describeChunk(
  { candidate, text, tokens, citation }: PackedChunk,
  { relevance, kind }: Relevance,
): ContextChunk {
  const { chunk, value } = candidate
  return {
    id: chunk.id,
    collection: chunk.collection,
    doc_id: chunk.docId,
    doc_title: chunk.docTitle,
    section_path: chunk.sectionPath,
    order_index: storedOrderIndex(chunk),
    score: rounded(value),
    relevance,
    relevance_kind: kind,
    tokens,
    text,
    citation: `[${citation}]`,
  }
}
