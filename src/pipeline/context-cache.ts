import type { Json, JsonObject } from '../core/types.ts'
import type { Caller, ContextRequest } from './context-request.ts'
import type { ContextKeyParts, PipelinePorts, TracedContext } from './services.ts'
import { planFingerprint, type TraceRecorder } from './trace/recorder.ts'

/** Degradations that the next request would meet again; others pass, and an answer made under them is not kept. */
const LASTING = new Set([
  'tokenizer_mapped',
  'embedder_unavailable',
  'reranker_unavailable',
  'list_missing',
  'nothing_fits',
])

export function keyParts(
  request: ContextRequest,
  caller: Caller,
  { subject }: TraceRecorder,
  { ports }: { ports: PipelinePorts },
): ContextKeyParts {
  // What does not change the answer is left out; the plan's fingerprint holds the rest.
  const { trace: _trace, deadline_ms: _deadline, filter, ...asked } = request
  return {
    tenant: caller.tenant,
    apiKey: caller.apiKey,
    request: asked as Record<string, Json>,
    filter: (filter as JsonObject | undefined) ?? null,
    collections: subject.collections,
    planFingerprint: planFingerprint(subject.plan),
    models: [ports.embedder?.version ?? null, ports.reranker?.model ?? null],
  }
}

/** Whether the same request may get this answer again: a session's answer depends on its history, a passing fault on the moment. */
export function isRepeatable(request: ContextRequest, { response }: TracedContext): boolean {
  return request.session_id === undefined && response.degraded.every(({ code }) => LASTING.has(code))
}

/** A kept answer under the new request's own trace, which says that it was kept. */
export function recalled(known: TracedContext, { subject }: TraceRecorder): TracedContext {
  const trace = {
    ...known.trace,
    trace_id: subject.traceId,
    started_at: subject.startedAt,
    stages: [],
    cache: 'hit' as const,
  }
  return { response: { ...known.response, trace_id: subject.traceId }, trace }
}
