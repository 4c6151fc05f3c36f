import type { RequestHandler } from 'express'
import { StowageError } from '../../core/errors.ts'
import type { ListTraces } from '../../pipeline/services.ts'
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
