import { z } from 'zod'
import { DEGRADATIONS, ERRORS } from '../core/vocabulary.ts'
import { contextRequestSchema, contextResponseSchema } from '../pipeline/context-request.ts'
import { planSchema } from '../pipeline/plan/plan.ts'
import { traceSchema } from '../pipeline/trace/schema.ts'
import { tenantsFileSchema } from '../tenants/file/schema.ts'
import { experimentsSchema, outcomeLineSchema, resetSchema } from './experiment-schemas.ts'
import {
  compareRequestSchema,
  compareResponseSchema,
  passagesRequestSchema,
  passagesResponseSchema,
  tracesQuerySchema,
  tracesResponseSchema,
} from './ui/schemas.ts'

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
  'GET /v1/schema/trace.json': 'JSON Schema of a trace.',
  'GET /v1/schema/plan.json': 'JSON Schema of a plan.',
  'GET /v1/schema/tenants.json': 'JSON Schema of the file of tenants (`TENANTS_FILE`).',
  'GET /healthz': 'Answers 200 while the process runs.',
  'GET /readyz': 'Answers 200 when requests can be answered, else 503; lists each check.',
} as const

type OwnRoute = keyof typeof OWN_ROUTES
type JsonSchema = z.core.JSONSchema.BaseSchema

/** JSON Schema (draft 2020-12) of a zod schema. In JSON, a u64 id is an integer. @param io whether defaults may be left out (`input`) */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    },
  })
}

export const traceJsonSchema = (): JsonSchema => jsonSchema(traceSchema)
export const planJsonSchema = (): JsonSchema => jsonSchema(planSchema)
export const tenantsJsonSchema = (): JsonSchema => jsonSchema(tenantsFileSchema, 'input')

/** Request and response bodies of the routes that the OpenAPI description details. */
const BODIES: {
  readonly [Route in OwnRoute]?: { request?: z.ZodType; query?: z.ZodObject; response: z.ZodType; type?: string }
} = {
  'POST /v1/context': { request: contextRequestSchema, response: contextResponseSchema },
  'GET /v1/traces/{id}': { response: traceSchema },
  'GET /v1/traces': { query: tracesQuerySchema, response: tracesResponseSchema },
  'POST /v1/ui/compare': { request: compareRequestSchema, response: compareResponseSchema },
  'POST /v1/ui/passages': { request: passagesRequestSchema, response: passagesResponseSchema },
  'GET /v1/experiments': { response: experimentsSchema },
  'GET /v1/experiments/{name}/outcomes': { response: outcomeLineSchema, type: 'application/x-ndjson' },
  'POST /v1/experiments/{name}/reset': { response: resetSchema },
}

/** The OpenAPI description of stowage's own routes. Qdrant describes its routes itself. @param needsKey whether there are tenants */
export function openApi({ version, needsKey }: { version: string; needsKey: boolean }): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, summary] of Object.entries(OWN_ROUTES) as [OwnRoute, string][]) {
    const [method = '', path = ''] = route.split(' ')
    const security = KEYED_ROUTES.includes(route) ? [...KEYS, ...(needsKey ? [] : [{}])] : []
    paths[path] = { [method.toLowerCase()]: { ...operation(route, summary), security } }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'stowage', version, description: 'Requests to every other path are forwarded to Qdrant.' },
    paths,
    components: { schemas: { Error: errorSchema() }, securitySchemes: SECURITY_SCHEMES },
  }
}

function operation(route: OwnRoute, summary: string): object {
  const bodies = BODIES[route]
  if (bodies === undefined) return { summary, responses: { 200: { description: 'OK' } } }
  const { request, query, response, type } = bodies
  const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: jsonSchema(schema as z.ZodType),
  }))
  const parameters = [...inPath, ...inQuery]
  return {
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request ? { requestBody: { required: true, content: json(jsonSchema(request)) } } : {}),
    responses: {
      200: { description: 'OK', content: json(jsonSchema(response), type) },
      default: { description: 'An error', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  }
}

/** The body of an error. Each code has its status and meaning as description. */
function errorSchema(): object {
  const codes = Object.entries(ERRORS).map(([code, { status, meaning }]) => ({
    const: code,
    description: `${status}: ${meaning}`,
  }))
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { oneOf: codes }, message: { type: 'string' }, details: {} },
      },
    },
    'x-degradations': DEGRADATIONS,
  }
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'api-key' },
  bearer: { type: 'http', scheme: 'bearer' },
}
const KEYS = Object.keys(SECURITY_SCHEMES).map(name => ({ [name]: [] }))
/** The routes that use the key of a client. The empty requirement of OpenAPI stands for: or none. */
const KEYED_ROUTES: readonly OwnRoute[] = [
  'POST /v1/context',
  'GET /v1/traces/{id}',
  'GET /v1/traces',
  'POST /v1/ui/compare',
  'POST /v1/ui/passages',
  'GET /v1/metrics',
  'GET /v1/experiments',
  'GET /v1/experiments/{name}/outcomes',
  'POST /v1/experiments/{name}/reset',
]

const json = (schema: object, type = 'application/json') => ({ [type]: { schema } })
