import type { RequestHandler } from 'express'
import type { TraceStore } from '../../pipeline/services.ts'
import type { BuiltPage } from '../../web/page-files.ts'
import { type CompareOptions, compareRoute, passagesRoute } from './compare-route.ts'
import { pageRoute } from './page-route.ts'
import { tracesRoute } from './traces-route.ts'

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

interface UiOptions extends CompareOptions {
  traces: TraceStore
  readPage(): Promise<BuiltPage>
}

export function uiRoutes(options: UiOptions): UiRoutes {
  return {
    page: pageRoute(options.readPage),
    compare: compareRoute(options),
    passages: passagesRoute(options),
    traces: tracesRoute(options.traces),
  }
}
