import type { RequestHandler } from 'express'
import type { z } from 'zod'
import { StowageError } from '../core/errors.ts'
import type { PrintedMetrics } from '../observe/metrics.ts'
import type { FindTrace } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import type { KnownKeys } from '../tenants/tenant.ts'
import { sendHtml, sendJson } from './body/send-json.ts'
import { apiKeyOf, tenantOf } from './caller.ts'
import { type Description, PAGE_POLICY, referencePage } from './description/page.ts'
import type { readinessSchema } from './description/schemas.ts'
import { findTenant } from './tenants/authenticate.ts'

type Readiness = z.infer<typeof readinessSchema>

/** Readiness of one dependency: a model or Qdrant. `detail` says how to fix it. */
export type HealthCheck = Readiness['checks'][number]

export interface Health {
  /** `ready` means that requests are answered. Checks of steps that only degrade do not change it. */
  ready(): Promise<Readiness>
}

/** `GET /healthz`, with the text that Qdrant answers. */
export const showAlive: RequestHandler = (_request, response) => {
  response.type('text/plain').send('healthz check passed')
}

/** `GET /readyz`: 200 or 503, with the checks. */
export function showReadiness(health: Health): RequestHandler {
  return async (request, response) => {
    const state = await health.ready()
    sendJson(request, response, state.ready ? 200 : 503, printJson(state))
  }
}

/** `GET /v1/metrics` in the text format of Prometheus, or in the OpenMetrics format for a scraper that asks for it. */
export function showMetrics({ registry, openMetrics }: PrintedMetrics): RequestHandler {
  return async (request, response) => {
    const asked = /\bapplication\/openmetrics-text\b/i.test(request.headers.accept ?? '') ? openMetrics : registry
    const text = await asked.metrics()
    response.setHeader('content-type', asked.contentType)
    response.end(text)
  }
}

/**
 * Lets only the keys of operators pass: no key and an unknown one are `unauthorized`, the key of a tenant is `forbidden`.
 * @param keys null lets everybody pass
 * @param what they alone may do
 */
export function forOperators(keys: KnownKeys | null, what = 'do this'): RequestHandler {
  return (request, _response, next) => {
    const apiKey = apiKeyOf(request)
    if (keys === null || keys.isOperator(apiKey)) return next()
    findTenant(keys, apiKey)
    throw new StowageError('forbidden', `Only the keys of operators may ${what}`)
  }
}

/** `GET /v1/traces/{id}`: a trace that the same caller made. */
export function showTrace(findTrace: FindTrace): RequestHandler<{ id: string }> {
  return async (request, response) => {
    const { id } = request.params
    const trace = await findTrace(id, { apiKey: apiKeyOf(request), tenant: tenantOf(response) })
    if (trace === null)
      throw new StowageError('not_found', 'The trace is unknown or no longer kept', { details: { trace_id: id } })
    sendJson(request, response, 200, printJson(trace))
  }
}

/** A fixed JSON document, built at the first request. */
export function showDocument(build: () => object): RequestHandler {
  let json: string | null = null
  return (request, response) => {
    json ??= JSON.stringify(build())
    sendJson(request, response, 200, json)
  }
}

/** `GET /v1/docs`: the description of the API as a page, built at the first request. */
export function showReference(describe: () => object): RequestHandler {
  let page: string | null = null
  return (request, response) => {
    page ??= referencePage(describe() as Description)
    response.setHeader('content-security-policy', PAGE_POLICY)
    sendHtml(request, response, page)
  }
}
