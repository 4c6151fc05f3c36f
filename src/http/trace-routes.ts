import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { StowageError } from '../core/errors.ts'
import type { TraceStore } from '../pipeline/services.ts'
import { traceSchema } from '../pipeline/trace/schema.ts'
import { printJson } from '../qdrant/json.ts'
import { sendJson } from './body/send-json.ts'
import { apiKeyOf, type TenantOf } from './caller.ts'

/** `GET /v1/traces/{id}` and the JSON Schema that traces follow. */
export function traceRoutes({ traces, tenantOf }: { traces: TraceStore; tenantOf: TenantOf }): Router {
  const schema = JSON.stringify(traceJsonSchema())
  const showTrace: RequestHandler<{ id: string }> = (request, response) => {
    const tenant = tenantOf(apiKeyOf(request))
    const trace = traces.find(request.params.id)
    // Another tenant's trace is as unknown as one that never was: its existence is nobody's business.
    if (trace === null || trace.tenant !== tenant) {
      throw new StowageError('not_found', 'No such trace: unknown, or already out of the ring', {
        details: { trace_id: request.params.id },
      })
    }
    sendJson(request, response, 200, printJson(trace))
  }
  const showSchema: RequestHandler = (request, response) => sendJson(request, response, 200, schema)
  return Router().get('/v1/traces/:id', showTrace).get('/v1/schema/trace.json', showSchema)
}

/** The published JSON Schema (draft 2020-12) of a trace. */
export function traceJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(traceSchema, {
    unrepresentable: 'any',
    // On the wire a u64 id is an integer like any other.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    },
  })
}
