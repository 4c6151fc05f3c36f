import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StowageError } from '../core/errors.ts'
import { redactUrls } from '../core/redact-urls.ts'
import type { Reporter } from '../observe/events.ts'
import type { FinishedRequest, LimitedRequest } from '../observe/finished-requests.ts'
import type { Endpoint, Outcome } from '../observe/metrics/requests.ts'
import { NO_SPANS, type Spans } from '../observe/spans.ts'
import { causeOf } from '../qdrant/errors.ts'
import { apiKeyOf, tenantOf } from './caller.ts'
import type { Step, StepResponse } from './step.ts'

const LONGEST_SHOWN = 200

/** Gives each request an id for the log and reports its end. The endpoint is `passthrough` unless `atEndpoint` sets another. */
export function observeRequests(reporter: Reporter, spans: Spans = NO_SPANS): Step {
  return function observe(request, response, next) {
    const started = performance.now()
    response.locals.requestId = givenId(request) ?? randomUUID()
    spans.serve(request, span => {
      response.once('close', () => {
        const finished: FinishedRequest = {
          endpoint: endpointOf(response),
          outcome: outcomeOf(response),
          route: `${request.method} ${shownPath(request.originalUrl)}`,
          status: response.headersSent ? response.statusCode : null,
          seconds: (performance.now() - started) / 1_000,
          requestId: requestIdOf(response),
          tenant: tenantOf(response)?.name ?? null,
          limited: response.locals.limited ?? null,
          cause: causes.get(response) ?? null,
          otelTraceId: span.traceId,
          ...tracedBy(response),
        }
        span.end(finished)
        reporter.requestFinished(finished)
      })
      next()
    })
  }
}

/** Ids of other systems: a UUID, a ULID, or `name:42`. Anything else could make lines of the log hard to read. */
const SANE_ID = /^[\w.:/+=@-]{1,128}$/

/** The `x-request-id` of the client or of a proxy, when it can be used; null without one. It must not hold a key. */
function givenId(request: IncomingMessage): string | null {
  const id = request.headers['x-request-id']
  if (typeof id !== 'string' || !SANE_ID.test(id)) return null
  const key = apiKeyOf(request)
  return key !== null && id.includes(key) ? null : id
}

/** Sets the endpoint under which a request is reported. */
export function atEndpoint(endpoint: Endpoint): Step {
  return function enter(_request, response, next) {
    response.locals.endpoint = endpoint
    next()
  }
}

export function endpointOf(response: StepResponse): Endpoint {
  return response.locals.endpoint ?? 'passthrough'
}

/** Names the trace of an answer that does not name it in its headers. */
export function tracedAs(response: StepResponse, traced: { traceId: string; degraded: string[] }): void {
  response.locals.traced = traced
}

/** Names the tenant and the limit that refused a request. */
export function limitedBy(response: StepResponse, limited: LimitedRequest): void {
  response.locals.limited = limited
}

const relayed = new WeakSet<ServerResponse>()
const causes = new WeakMap<ServerResponse, string>()

/** Tells that an answer is Qdrant's, so that a 500 is not taken for a fault of stowage. */
export function relayedFrom(response: ServerResponse): void {
  relayed.add(response)
}

/** Tells why a request failed, for its line of the log. */
export function failedBy(response: ServerResponse, error: StowageError): void {
  causes.set(response, redactUrls(causeOf(error)))
}

/** From `tracedAs`, else from the headers of an improved search. */
function tracedBy(response: StepResponse): { traceId: string | null; degraded: string[] } {
  if (response.locals.traced) return response.locals.traced
  const codes = response.getHeader('x-stowage-degraded')?.toString() ?? ''
  return {
    traceId: response.getHeader('x-stowage-trace-id')?.toString().slice(0, LONGEST_SHOWN) ?? null,
    degraded: codes === '' ? [] : codes.split(','),
  }
}

/** The path for the log and for spans: without the query string, which may hold a key. */
export function shownPath(target: string): string {
  return target.replace(/[?#].*/su, '').slice(0, LONGEST_SHOWN)
}

export function requestIdOf(response: StepResponse): string {
  return String(response.locals.requestId ?? '')
}

function outcomeOf(response: StepResponse): Outcome {
  if (!response.writableFinished) return causes.has(response) ? 'upstream_error' : 'aborted'
  if (response.statusCode < 400) return 'ok'
  if (response.statusCode < 500) return 'client_error'
  return response.statusCode === 500 && !relayed.has(response) ? 'internal_error' : 'upstream_error'
}
