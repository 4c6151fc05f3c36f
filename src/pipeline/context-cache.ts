import type { Json, JsonObject } from '../core/types.ts'
import type { DegradationCode } from '../core/vocabulary.ts'
import type { Caller, ContextRequest } from './context-request.ts'
import { planFingerprint } from './plan/derived.ts'
import type { Plan } from './plan/plan.ts'
import type { ContextKeyParts, PipelinePorts, TracedContext } from './services.ts'
import type { TraceSubject } from './trace/build-trace.ts'

/** Degradations that last: the next request would have them too. An answer with any other one is not cached. */
const LASTING: ReadonlySet<DegradationCode> = new Set([
  'tokenizer_mapped',
  'embedder_unavailable',
  'reranker_unavailable',
  'list_missing',
  'nothing_fits',
])

/** All that the answer to a request depends on. */
export function keyParts(
  request: ContextRequest,
  caller: Caller,
  collections: string[],
  plan: Plan,
  ports: PipelinePorts,
): ContextKeyParts {
  // Trace and deadline do not change the answer; the fingerprint of the plan holds the rest of the settings.
  const { trace: _trace, deadline_ms: _deadline, filter, ...asked } = request
  return {
    tenant: caller.tenant,
    apiKey: caller.apiKey,
    request: asked as Record<string, Json>,
    filter: (filter as JsonObject | undefined) ?? null,
    collections,
    planFingerprint: planFingerprint(plan),
    models: [ports.embedder?.version ?? null, ports.reranker?.model ?? null],
  }
}

/** Whether an answer may be used again: that of a session depends on its history, a passing fault on the moment. */
export function isRepeatable(request: ContextRequest, { response }: TracedContext): boolean {
  return request.session_id === undefined && response.degraded.every(({ code }) => LASTING.has(code))
}

/** A cached answer with the identity of the new request; its trace says `cache: hit` and has no stages. */
export function fromCache(known: TracedContext, { traceId, startedAt }: TraceSubject): TracedContext {
  return {
    response: { ...known.response, trace_id: traceId },
    trace: { ...known.trace, trace_id: traceId, started_at: startedAt, stages: [], cache: 'hit' },
  }
}
