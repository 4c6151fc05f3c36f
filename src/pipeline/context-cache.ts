import type { Json } from '../core/types.ts'
import type { DegradationCode } from '../core/vocabulary.ts'
import type { Caller } from './caller.ts'
import type { ContextRequest } from './context-request.ts'
import { planFingerprint } from './plan/derived.ts'
import type { ContextKeyParts, PipelinePorts, TracedContext } from './services.ts'
import type { TraceSubject } from './trace/build-trace.ts'

/** Degradations that the next request would have too. Answers with other degradations are not cached. */
const LASTING: ReadonlySet<DegradationCode> = new Set([
  'tokenizer_mapped',
  'embedder_unavailable',
  'reranker_unavailable',
  'rerank_language_unread',
  'mode_unavailable',
  'list_missing',
  'collection_unsearched',
  'no_passage_text',
  'no_search_terms',
  'nothing_fits',
])

/** Everything that the answer to a request depends on. */
export function keyParts(
  request: ContextRequest,
  { tenant, apiKey }: Caller,
  { collections, plan }: TraceSubject,
  ports: PipelinePorts,
  contextual: ReadonlyMap<string, string>,
): ContextKeyParts {
  // Trace and deadline do not change the answer. The fingerprint of the plan covers the other settings.
  const { trace: _trace, deadline_ms: _deadline, filter, ...rest } = request
  return {
    tenant: tenant?.name ?? null,
    apiKey,
    condition: tenant?.condition ?? null,
    request: rest as Record<string, Json>,
    filter: filter ?? null,
    collections: [...collections, ...contextual.values()],
    planFingerprint: planFingerprint(plan),
    models: [ports.embedder?.version ?? null, ports.reranker?.model ?? null],
  }
}

/** Whether an answer can be cached: it does not depend on a session or on a temporary fault. */
export function isRepeatable(request: ContextRequest, { response }: TracedContext): boolean {
  return request.session_id === undefined && response.degraded.every(({ code }) => LASTING.has(code))
}

/** A cached answer with the id of the new request. Its trace has `cache: hit` and no stages. */
export function fromCache(
  known: TracedContext,
  { traceId, startedAt, endpoint, decision }: TraceSubject,
): TracedContext {
  return {
    response: { ...known.response, trace_id: traceId },
    trace: {
      ...known.trace,
      trace_id: traceId,
      endpoint,
      started_at: startedAt,
      assignment: decision.assignment,
      flags: [...decision.flags],
      stages: [],
      duration_ms: 0,
      cache: 'hit',
    },
  }
}
