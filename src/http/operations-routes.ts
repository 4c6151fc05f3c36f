import { type RequestHandler, Router } from 'express'
import type { Metrics } from '../observe/metrics.ts'
import { printJson } from '../qdrant/json.ts'
import { sendJson } from './body/send-json.ts'

/** Readiness of one thing that requests need: a model, the upstream. `detail` says how to mend it. */
export interface HealthCheck {
  name: string
  ok: boolean
  detail?: string
}

export interface Health {
  /** Ready means: requests are answered, maybe degraded; checks that only degrade do not make it false. */
  ready(): Promise<{ ready: boolean; checks: HealthCheck[] }>
}

/**
 * `/healthz` (alive), `/readyz` (200 or 503 with its checks) and `/v1/metrics`. The first two replace Qdrant's own;
 * Qdrant's `/metrics` and `/livez` still pass through.
 */
export function operationsRoutes({ health, metrics }: { health: Health; metrics: Metrics }): Router {
  const alive: RequestHandler = (_request, response) => {
    response.type('text/plain').send('healthz check passed')
  }
  const ready: RequestHandler = async (request, response) => {
    const state = await health.ready()
    sendJson(request, response, state.ready ? 200 : 503, printJson(state))
  }
  const expose: RequestHandler = async (_request, response) => {
    const text = await metrics.registry.metrics()
    response.setHeader('content-type', metrics.registry.contentType)
    response.end(text)
  }
  return Router().get('/healthz', alive).get('/readyz', ready).get('/v1/metrics', expose)
}
