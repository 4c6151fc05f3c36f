/** The routes that stowage answers itself, with one sentence each. Every other route is Qdrant's. */
export const OWN_ROUTES = {
  'POST /v1/context': 'Packs a context for a query.',
  'GET /v1/traces/{id}': 'Shows the trace of one of the last requests, to the key that made it.',
  'GET /v1/traces': 'With `UI=on`: lists the last requests of the same key or tenant, the newest first.',
  'GET /v1/ui': 'With `UI=on`: the page to look at.',
  'POST /v1/ui/compare':
    'With `UI=on`: a question by the plan of the caller and by plain top-k, with the texts of all candidates.',
  'POST /v1/ui/passages': 'With `UI=on`: the texts of points that the caller may read.',
  'GET /v1/metrics': 'Metrics of stowage in the format of Prometheus.',
  'GET /v1/experiments': 'Shows the last requests of each experiment, by variant, and whether it is rolled back.',
  'GET /v1/experiments/{name}/outcomes': 'The last outcomes of an experiment, one JSON object per line.',
  'POST /v1/experiments/{name}/reset': 'Ends the rollback of an experiment, and forgets its outcomes.',
  'GET /v1/openapi.json': 'This description as OpenAPI 3.1.',
  'GET /v1/docs': 'This description as a page to read, without scripts and without a network.',
  'GET /v1/schema/trace.json': 'JSON Schema of a trace.',
  'GET /v1/schema/plan.json': 'JSON Schema of a plan.',
  'GET /v1/schema/tenants.json': 'JSON Schema of the file of tenants (`TENANTS_FILE`).',
  'GET /healthz': 'Answers 200 while the process runs.',
  'GET /readyz': 'Answers 200 when requests can be answered, else 503; lists each check.',
} as const

export type OwnRoute = keyof typeof OWN_ROUTES
