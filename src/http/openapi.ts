import { z } from 'zod'
import { DEGRADATIONS, ERRORS } from '../core/vocabulary.ts'
import { contextRequestSchema, contextResponseSchema } from '../pipeline/context-request.ts'
import { planSchema } from '../pipeline/plan/plan.ts'
import { traceSchema } from '../pipeline/trace/schema.ts'
import { OWN_ROUTES, type OwnRoute } from './own-routes.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** JSON Schema (draft 2020-12) of a zod schema. On the wire a u64 id is an integer. */
function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    },
  })
}

export const traceJsonSchema = (): JsonSchema => jsonSchema(traceSchema)
export const planJsonSchema = (): JsonSchema => jsonSchema(planSchema)

/** What a route takes and answers, where that is JSON. */
const CONTENT: { readonly [Route in OwnRoute]?: { request?: z.ZodType; response: z.ZodType } } = {
  'POST /v1/context': { request: contextRequestSchema, response: contextResponseSchema },
  'GET /v1/traces/{id}': { response: traceSchema },
}

/** The OpenAPI description of stowage's own routes. Qdrant's routes are described by Qdrant. */
export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, summary] of Object.entries(OWN_ROUTES) as [OwnRoute, string][]) {
    const [method = '', path = ''] = route.split(' ')
    paths[path] = { [method.toLowerCase()]: operation(route, summary) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'stowage', version, description: 'Every other path is passed to Qdrant.' },
    paths,
    components: { schemas: { Error: errorSchema() } },
  }
}

function operation(route: OwnRoute, summary: string): object {
  const content = CONTENT[route]
  const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    summary,
    ...(inPath.length > 0 ? { parameters: inPath } : {}),
    ...(content?.request ? { requestBody: { required: true, content: json(jsonSchema(content.request)) } } : {}),
    responses: {
      200: { description: 'OK', ...(content ? { content: json(jsonSchema(content.response)) } : {}) },
      ...(content
        ? { default: { description: 'An error', content: json({ $ref: '#/components/schemas/Error' }) } }
        : {}),
    },
  }
}

/** The error body; each code stands with its status and meaning. */
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

const json = (schema: object) => ({ 'application/json': { schema } })
