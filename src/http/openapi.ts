import { planSchema } from '../pipeline/plan/plan.ts'
import { traceSchema } from '../pipeline/trace/schema.ts'
import { tenantsFileSchema } from '../tenants/file/schema.ts'
import { OPERATIONS, TAGS } from './description/operations.ts'
import { OWN_ROUTES, type OwnRoute } from './description/own-routes.ts'
import { jsonContent, responsesOf } from './description/responses.ts'
import { type JsonSchema, jsonSchema, namedSchemas } from './description/schemas.ts'
import { HEADERS, PARAMETERS, parameterRef, searchPaths } from './description/search-routes.ts'

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
