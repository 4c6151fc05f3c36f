/** The routes that stowage answers itself, with one sentence each. Every other route is Qdrant's. */
export const OWN_ROUTES = {
  'POST /v1/context': 'Packs a context for a query.',
  'GET /v1/traces/{id}': 'Shows the trace of one of the last requests.',
  'GET /v1/metrics': 'Metrics of stowage in the format of Prometheus.',
  'GET /v1/openapi.json': 'This description as OpenAPI 3.1.',
  'GET /v1/schema/trace.json': 'JSON Schema of a trace.',
  'GET /v1/schema/plan.json': 'JSON Schema of a plan.',
  'GET /healthz': 'Answers 200 while the process lives.',
  'GET /readyz': 'Answers 200 when requests can be answered, else 503; lists each check.',
} as const

export type OwnRoute = keyof typeof OWN_ROUTES
