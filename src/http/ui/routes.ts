import type { RequestHandler } from 'express'
import type { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import type { ListTraces } from '../../pipeline/services.ts'
import type { TraceSummary } from '../../pipeline/trace/summary.ts'
import { printJson } from '../../qdrant/json.ts'
import type { BuiltPage } from '../../web/page-files.ts'
import { parseFields } from '../body/parse-fields.ts'
import { sendJson } from '../body/send-json.ts'
import { apiKeyOf, tenantOf } from '../caller.ts'
import { type CompareOptions, compareRoute, passagesRoute } from './compare-route.ts'
import { pageRoute } from './page-route.ts'
import { tracesQuerySchema } from './schemas.ts'

/** What the page to look at needs. */
export interface UiRoutes {
  /** `GET /v1/ui` */
  page: RequestHandler
  /** `POST /v1/ui/compare` */
  compare: RequestHandler
  /** `POST /v1/ui/passages` */
  passages: RequestHandler
  /** `GET /v1/traces` */
  traces: RequestHandler
}

const refuse: RequestHandler = () => {
  throw new StowageError('not_found', 'The page to look at is off: set UI=on')
}
/** The routes without `UI=on`. */
export const UI_IS_OFF: UiRoutes = { page: refuse, compare: refuse, passages: refuse, traces: refuse }

interface UiOptions extends CompareOptions {
  listTraces: ListTraces
  readPage(): Promise<BuiltPage>
}

export function uiRoutes(options: UiOptions): UiRoutes {
  return {
    page: pageRoute(options.readPage),
    compare: compareRoute(options),
    passages: passagesRoute(options),
    traces: tracesRoute(options.listTraces),
  }
}

const DEFAULT_LIMIT = 50

/** `GET /v1/traces`: the kept traces that the same caller made, the newest first. */
function tracesRoute(listTraces: ListTraces): RequestHandler {
  return async (request, response) => {
    const given = new URL(request.originalUrl, 'http://localhost').searchParams
    const asked = parseFields(tracesQuerySchema, Object.fromEntries(given))
    const kept = await listTraces({ apiKey: apiKeyOf(request), tenant: tenantOf(response) })
    const found = kept.filter(trace => matches(trace, asked)).slice(0, asked.limit ?? DEFAULT_LIMIT)
    sendJson(request, response, 200, printJson({ traces: found, kept: kept.length }))
  }
}

function matches(trace: TraceSummary, asked: z.infer<typeof tracesQuerySchema>): boolean {
  const { endpoint, degraded, verdict, query = '', min_ms = 0 } = asked
  if (endpoint !== undefined && trace.endpoint !== endpoint) return false
  if (degraded !== undefined && trace.degraded.length > 0 !== (degraded === 'true')) return false
  if (verdict !== undefined && trace.answerable?.verdict !== verdict) return false
  if (query !== '' && !trace.query?.toLowerCase().includes(query.toLowerCase())) return false
  return trace.duration_ms >= min_ms
}
