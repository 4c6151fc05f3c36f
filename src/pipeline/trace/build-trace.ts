import type { Candidate, Dropped, QuerySource } from '../../core/types.ts'
import type { DetectedIntent } from '../../intent/detect.ts'
import type { PackedChunk } from '../../pack/pack.ts'
import { storedOrderIndex } from '../../rank/places/derived-places.ts'
import type { PlanDecision } from '../plan/decision.ts'
import { planFingerprint } from '../plan/derived.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord, SentenceMatch } from '../run-record.ts'
import { recallProxy } from './recall-proxy.ts'
import { type Answerable, TRACE_VERSION, type Trace, type TraceCandidate, type UsedMode } from './schema.ts'

/** The facts about a request before its first step. */
export interface TraceSubject {
  traceId: string
  startedAt: string
  endpoint: Trace['endpoint']
  tenant: string | null
  sessionId: string | null
  /** Null or absent for a request that has one trace. */
  batchId?: string | null
  collections: string[]
  query: string | null
  /** Default: `request`. */
  querySource?: QuerySource
  plan: Plan
  decision: Pick<PlanDecision, 'assignment' | 'flags'>
  /** Id of the trace of the answer that this run shadows. */
  shadowOf?: string
}

/** The decisions of the pipeline. */
interface TraceOutcome {
  intent: DetectedIntent | null
  packed: { packed: readonly PackedChunk[]; dropped: readonly Dropped[]; tokens: number }
  encoding: string
  /** Absent in a search route. */
  mode?: UsedMode
  /** Absent in a search route. */
  answerable?: Answerable
  cache: Trace['cache']
}

/** Builds the trace of one request: its plan, its stages, and one decision for every candidate. */
export function buildTrace(subject: TraceSubject, record: RunRecord, outcome: TraceOutcome): Trace {
  const { plan } = subject
  const describe = (candidate: Candidate) => described(candidate, record.sentenceMatches.get(candidate.key))
  const packed = outcome.packed.packed.map(({ candidate, tokens }, at): TraceCandidate => {
    return { ...describe(candidate), tokens, decision: 'packed', position: at + 1, reason: null, evidence: null }
  })
  const dropped = outcome.packed.dropped.map(({ candidate, reason, evidence }): TraceCandidate => {
    return { ...describe(candidate), tokens: null, decision: 'dropped', position: null, reason, evidence }
  })
  const candidates = [...packed, ...dropped]
  return {
    version: TRACE_VERSION,
    trace_id: subject.traceId,
    endpoint: subject.endpoint,
    started_at: subject.startedAt,
    tenant: subject.tenant,
    session_id: subject.sessionId,
    ...(subject.batchId && { batch_id: subject.batchId }),
    assignment: subject.decision.assignment,
    flags: [...subject.decision.flags],
    shadow_of: subject.shadowOf ?? null,
    collections: subject.collections,
    query: subject.query,
    query_source: subject.querySource ?? 'request',
    ...(record.corrections.length > 0 && { corrections: [...record.corrections] }),
    ...(record.namedDocuments.length > 0 && { named_documents: [...record.namedDocuments] }),
    intent: outcome.intent,
    mode: outcome.mode ?? null,
    plan,
    plan_fingerprint: planFingerprint(plan),
    cache: outcome.cache,
    stages: record.stages,
    duration_ms: record.elapsedMs,
    degraded: record.degraded,
    counts: { retrieved: packed.length + dropped.length, packed: packed.length, dropped: dropped.length },
    budget: {
      tokens: plan.budgetTokens,
      used: outcome.packed.tokens,
      tokenizer: plan.tokenizerModel,
      encoding: outcome.encoding,
    },
    recall_proxy: recallProxy(candidates),
    ...(outcome.answerable && { answerable: outcome.answerable }),
    candidates,
  }
}

function described(
  { chunk, origin, signals, fused, rerank, answerability, mention, value }: Candidate,
  sentences: readonly SentenceMatch[] | undefined,
) {
  return {
    id: chunk.id,
    collection: chunk.collection,
    doc_id: chunk.docId,
    section_path: chunk.sectionPath,
    order_index: storedOrderIndex(chunk),
    origin,
    lists: signals,
    fused,
    rerank,
    answerability,
    ...(mention && { mention: { by: mention.by.id, gain: mention.gain } }),
    final: value,
    ...(sentences && { sentences: sentences.map(sentence => ({ ...sentence })) }),
  }
}
