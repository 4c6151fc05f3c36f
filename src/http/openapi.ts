import { planSchema } from '../pipeline/plan/plan.ts'
import { traceSchema } from '../pipeline/trace/schema.ts'
import { tenantsFileSchema } from '../tenants/file/schema.ts'
import { OPERATIONS, TAGS } from './description/operations.ts'
import { jsonContent, responsesOf } from './description/responses.ts'
import { type JsonSchema, jsonSchema, namedSchemas } from './description/schemas.ts'
import { HEADERS, PARAMETERS, parameterRef, searchPaths } from './description/search-routes.ts'

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

export const traceJsonSchema = (): JsonSchema => jsonSchema(traceSchema)
export const planJsonSchema = (): JsonSchema => jsonSchema(planSchema)
export const tenantsJsonSchema = (): JsonSchema => jsonSchema(tenantsFileSchema, 'input')

interface ApiFacts {
  version: string
  /** Whether there are tenants. */
  needsKey: boolean
}

/** The OpenAPI description of stowage's own routes, and of what it adds to Qdrant's searches. Qdrant describes its routes itself. */
export function openApi({ version, needsKey }: ApiFacts): object {
  const keys = [...KEYS, ...(needsKey ? [] : [{}])]
  const paths: Record<string, object> = {}
  for (const [route, summary] of Object.entries(OWN_ROUTES) as [OwnRoute, string][]) {
    const [method = '', path = ''] = route.split(' ')
    const security = OPERATIONS[route].key === 'none' ? [] : keys
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...operation(route, summary), security } }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'stowage', version, description: DESCRIPTION, license: LICENSE },
    servers: [{ url: '/', description: 'The stowage that served this description.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...searchPaths(keys) },
    components: {
      schemas: namedSchemas(),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const DESCRIPTION =
  "Context-packing middleware for RAG on Qdrant. Requests to every path that is not described here are Qdrant's and pass through unchanged. Paths under `/v1/` answer other methods with 405 and `allow`."
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const PATH_PARAMETERS: Readonly<Record<string, string>> = { id: 'Id of a trace.', name: 'Name of an experiment.' }

function operation(route: OwnRoute, summary: string): object {
  const { id, tag, description, key, request, query, parameters: headers = [] } = OPERATIONS[route]
  const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name],
    schema: { type: 'string', minLength: 1 },
  }))
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    description: schema.description ?? '',
    schema: jsonSchema(schema, 'input'),
  }))
  const parameters = [...inPath, ...inQuery, ...headers.map(parameterRef)]
  const more = [description, key === 'operator' ? 'Where there are tenants, it needs the key of an operator.' : '']
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: more.filter(Boolean).join(' ') || summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request ? { requestBody: { required: true, content: { 'application/json': jsonContent(request) } } } : {}),
    responses: responsesOf(OPERATIONS[route]),
  }
}

const KEY = 'The key of a tenant or of an operator. Without tenants it goes on to Qdrant.'
const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'api-key', description: KEY },
  bearer: { type: 'http', scheme: 'bearer', description: KEY },
}
/** The empty requirement of OpenAPI, which is added without tenants, stands for: or none. */
const KEYS = Object.keys(SECURITY_SCHEMES).map(name => ({ [name]: [] }))
