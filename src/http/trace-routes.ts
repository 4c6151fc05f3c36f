import { type RequestHandler, Router } from 'express'
import { StowageError } from '../core/errors.ts'
import type { TraceStore } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import { sendJson } from './body/send-json.ts'
import { apiKeyOf, type TenantOf } from './caller.ts'

/** `GET /v1/traces/{id}`: the trace of one of the tenant's own requests. */
export function traceRoutes({ traces, tenantOf }: { traces: TraceStore; tenantOf: TenantOf }): Router {
  const showTrace: RequestHandler<{ id: string }> = (request, response) => {
    const tenant = tenantOf(apiKeyOf(request))
    const trace = traces.find(request.params.id)
    // The trace of another tenant is answered like one that never existed.
    if (trace === null || trace.tenant !== tenant) {
      throw new StowageError('not_found', 'No such trace: unknown, or no longer kept', {
        details: { trace_id: request.params.id },
      })
    }
    sendJson(request, response, 200, printJson(trace))
  }
  return Router().get('/v1/traces/:id', showTrace)
}
