import type { z } from 'zod'
import type { ErrorCode } from '../../core/vocabulary.ts'
import { tracesQuerySchema } from '../ui/schemas.ts'
import type { OwnRoute } from './own-routes.ts'
import type { SchemaName } from './schemas.ts'
import type { PARAMETERS } from './search-routes.ts'

/** What an answer other than an error carries. `text`: no JSON. */
export interface Answer {
  description: string
  body: SchemaName | 'text' | 'json schema'
  /** Media types. Default: `application/json`, or `text/plain` for a text. */
  types?: readonly string[]
  headers?: readonly 'x-stowage-variant'[]
}

/** What the description says of a route beside its one sentence. */
export interface Operation {
  id: string
  tag: keyof typeof TAGS
  description?: string
  /** Who may use it where there are tenants: everybody, who has the key of a tenant, or who has the key of an operator. */
  key: 'none' | 'tenant' | 'operator'
  request?: SchemaName
  /** Parameters of the query string. */
  query?: z.ZodObject
  /** Headers of the request. */
  parameters?: readonly (keyof typeof PARAMETERS)[]
  /** By status. */
  answers: Readonly<Record<number, Answer>>
  errors: readonly ErrorCode[]
}

export const TAGS = {
  context: 'Contexts, and the traces that explain them.',
  search: "Qdrant's own search routes, which stowage improves.",
  experiments: 'Experiments and their outcomes.',
  page: 'The page to look at, and what it asks for. With `UI=on` only.',
  operation: 'Health, metrics, and descriptions of this API.',
} as const

const ok = (body: Answer['body'], more: Partial<Answer> = {}): Readonly<Record<number, Answer>> => ({
  200: { description: 'OK', body, ...more },
})
const document = (id: string): Operation => ({
  id,
  tag: 'operation',
  key: 'none',
  answers: ok('json schema'),
  errors: ['internal'],
})
/** Of the routes that search. */
const SEARCH_ERRORS = [
  ...(['bad_request', 'unauthorized', 'forbidden', 'collection_not_found', 'not_found', 'request_timeout'] as const),
  ...(['payload_too_large', 'unprocessable', 'too_many_requests', 'internal', 'upstream_error'] as const),
  ...(['upstream_unavailable', 'overloaded', 'upstream_timeout'] as const),
] as const
const experiments = { tag: 'experiments', key: 'operator' } as const
/** A name or an id in the path that is not percent-encoded UTF-8 is a bad request. */
const NAMED_ERRORS = ['bad_request', 'unauthorized', 'forbidden', 'not_found', 'internal'] as const

export const OPERATIONS: { readonly [Route in OwnRoute]: Operation } = {
  'POST /v1/context': {
    id: 'packContext',
    tag: 'context',
    description:
      'Searches, fuses, reranks and packs. A step that cannot do its work is left out and named in `degraded`. A budget that is too small for any chunk gives an empty context.',
    key: 'tenant',
    request: 'ContextRequest',
    parameters: ['replay'],
    answers: ok('ContextResponse', { headers: ['x-stowage-variant'] }),
    errors: SEARCH_ERRORS,
  },
  'GET /v1/traces/{id}': {
    id: 'showTrace',
    tag: 'context',
    description:
      '500 traces are kept, fewer when they are large; the owner with the most of them loses the oldest one first. The ids of improved searches are in `x-stowage-trace-id`.',
    key: 'tenant',
    answers: ok('Trace'),
    errors: ['bad_request', 'unauthorized', 'not_found', 'too_many_requests', 'internal'],
  },
  'GET /v1/traces': {
    id: 'listTraces',
    tag: 'page',
    description: 'Filters are joined by and. Without tenants, callers with the same key of Qdrant see the same list.',
    key: 'tenant',
    query: tracesQuerySchema,
    answers: ok('TraceList'),
    errors: ['bad_request', 'unauthorized', 'not_found', 'too_many_requests', 'internal'],
  },
  'GET /v1/ui': {
    id: 'showPage',
    tag: 'page',
    key: 'none',
    answers: ok('text', { types: ['text/html'] }),
    errors: ['not_found', 'internal'],
  },
  'POST /v1/ui/compare': {
    id: 'comparePlans',
    tag: 'page',
    description: 'Only the first of the two runs is counted and kept among the traces.',
    key: 'tenant',
    request: 'CompareRequest',
    answers: ok('Comparison'),
    errors: SEARCH_ERRORS,
  },
  'POST /v1/ui/passages': {
    id: 'showPassages',
    tag: 'page',
    key: 'tenant',
    request: 'PassagesRequest',
    answers: ok('Passages'),
    errors: SEARCH_ERRORS,
  },
  'GET /v1/metrics': {
    id: 'showMetrics',
    tag: 'operation',
    description: 'In the format OpenMetrics, with exemplars, for a scraper that asks for it.',
    key: 'operator',
    answers: ok('text', { types: ['text/plain', 'application/openmetrics-text'] }),
    errors: ['unauthorized', 'forbidden', 'internal'],
  },
  'GET /v1/experiments': {
    ...experiments,
    id: 'listExperiments',
    answers: ok('Experiments'),
    errors: ['unauthorized', 'forbidden', 'internal'],
  },
  'GET /v1/experiments/{name}/outcomes': {
    ...experiments,
    id: 'listOutcomes',
    description: 'The lines are in the order in which the requests ended. Each is an `ExperimentOutcome`.',
    answers: ok('ExperimentOutcome', { types: ['application/x-ndjson'] }),
    errors: NAMED_ERRORS,
  },
  'POST /v1/experiments/{name}/reset': {
    ...experiments,
    id: 'resetExperiment',
    answers: ok('ExperimentReset'),
    errors: NAMED_ERRORS,
  },
  'GET /v1/openapi.json': document('describeApi'),
  'GET /v1/docs': {
    id: 'showReference',
    tag: 'operation',
    key: 'none',
    answers: ok('text', { types: ['text/html'] }),
    errors: ['internal'],
  },
  'GET /v1/schema/trace.json': document('describeTrace'),
  'GET /v1/schema/plan.json': document('describePlan'),
  'GET /v1/schema/tenants.json': document('describeTenants'),
  'GET /healthz': { id: 'showAlive', tag: 'operation', key: 'none', answers: ok('text'), errors: [] },
  'GET /readyz': {
    id: 'showReadiness',
    tag: 'operation',
    description: 'A check that fails lowers quality only, as long as `ready` is true.',
    key: 'none',
    answers: { ...ok('Readiness'), 503: { description: 'Requests cannot be answered now.', body: 'Readiness' } },
    errors: [],
  },
}
