import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api'
import type { FinishedRequest } from '../../observe/finished-requests.ts'
import { type QueryTextMode, shownQuery } from '../../observe/query-text.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'
import { readCollectionPath } from '../../qdrant/paths.ts'

/**
 * Names of span attributes: those of HTTP and databases from the semantic conventions 1.41, those of retrieval from the GenAI conventions that
 * refer to it (both in development, so they can change), and those of stowage under `stowage.`.
 */

const KNOWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY']

/** A method as the conventions want it: any text of a client would be a new value. */
export function methodOf(method = ''): string {
  return KNOWN_METHODS.includes(method) ? method : '_OTHER'
}

/** The path with the names of its collection replaced, so that it has few values; null for a path that is not known. */
export function routeOf(path: string): string | null {
  const known = readCollectionPath(path)
  if (known === null) return /^\/(?:v1\/(?:context|metrics|openapi\.json)|healthz|readyz)$/.test(path) ? path : null
  return /^(?:points\/(?:query|search|scroll|count)(?:\/batch)?)?$/.test(known.rest)
    ? ['/collections/{collection}', known.rest].filter(Boolean).join('/')
    : null
}

/** Ends the span of a request with what is known at its end. */
export function describeRequest(span: Span, finished: FinishedRequest): void {
  const { endpoint, outcome, status, requestId, tenant, traceId, degraded, limited } = finished
  span.setAttributes({
    ...(status !== null && { 'http.response.status_code': status }),
    'stowage.request_id': requestId,
    'stowage.endpoint': endpoint,
    'stowage.outcome': outcome,
    ...(tenant !== null && { 'stowage.tenant': tenant }),
    ...(traceId !== null && { 'stowage.trace_id': traceId }),
    ...(degraded.length > 0 && { 'stowage.degraded': degraded }),
    ...(limited !== null && { 'stowage.limit': limited.limit }),
  })
  if (outcome === 'aborted') span.setAttribute('error.type', 'aborted')
  if (status === null || status < 500) return
  if (outcome !== 'aborted') span.setAttribute('error.type', String(status))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** What a trace tells about its retrieval. */
export function retrievalAttributes(trace: Trace, queryText: QueryTextMode): Attributes {
  const { assignment, budget, counts, plan } = trace
  const query = shownQuery(trace.query, queryText)
  return {
    'gen_ai.operation.name': 'retrieval',
    'gen_ai.data_source.id': trace.collections.join(','),
    ...(plan.maxChunks !== null && { 'gen_ai.retrieval.top_k': plan.maxChunks }),
    ...(query !== null && { 'gen_ai.retrieval.query.text': query }),
    'db.system.name': 'qdrant',
    'stowage.trace_id': trace.trace_id,
    'stowage.endpoint': trace.endpoint,
    ...(trace.tenant !== null && { 'stowage.tenant': trace.tenant }),
    ...(assignment !== null && { 'stowage.variant': `${assignment.experiment}=${assignment.variant}` }),
    ...(trace.shadow_of !== null && { 'stowage.shadow_of': trace.shadow_of }),
    'stowage.plan.name': plan.name,
    'stowage.plan.fingerprint': trace.plan_fingerprint,
    'stowage.cache': trace.cache,
    'stowage.budget.tokens': budget.tokens,
    'stowage.context.tokens': budget.used,
    'stowage.candidates.retrieved': counts.retrieved,
    'stowage.candidates.packed': counts.packed,
    'stowage.candidates.dropped': counts.dropped,
    ...(trace.recall_proxy !== null && { 'stowage.recall_proxy': trace.recall_proxy }),
    'stowage.degraded': trace.degraded.map(({ code }) => code),
  }
}
