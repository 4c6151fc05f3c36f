import express from 'express'
import { StowageError } from '../core/errors.ts'
import type { Reporter } from '../observe/events.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { PackContext, TraceStore } from '../pipeline/services.ts'
import { SEARCH_PATH } from '../qdrant/paths.ts'
import type { TenantOf } from './caller.ts'
import { contextRoute } from './context-route.ts'
import { errorHandler } from './error-handler.ts'
import { atEndpoint, observeRequests } from './observe-requests.ts'
import { type Health, operationsRoutes } from './operations-routes.ts'
import { OWN_ROUTES } from './own-routes.ts'
import { handedOver } from './passthrough/hand-over.ts'
import type { Passthrough } from './passthrough/passthrough.ts'
import { refuseLoops } from './passthrough/via.ts'
import { type BumpEpoch, writeEpoch } from './passthrough/write-epoch.ts'
import { schemaRoutes } from './schema-routes.ts'
import { traceRoutes } from './trace-routes.ts'

export interface AppDependencies {
  packContext: PackContext
  /** The improved drop-in route; it calls `next()` for what it leaves to the passthrough. Null switches it off. */
  improvePoints: express.RequestHandler | null
  passthrough: Passthrough
  traces: TraceStore
  tenantOf: TenantOf
  health: Health
  metrics: Metrics
  reporter: Reporter
  /** Told of writes that pass through, for caches. */
  bumpEpoch: BumpEpoch
  limits: { contextBodyBytes: number }
  version: string
}

/** The paths of stowage's own routes but `/v1/context`, up to a parameter. */
const OPERATIONS = Object.keys(OWN_ROUTES)
  .filter(route => route.startsWith('GET '))
  .map(route => route.replace(/^GET /, '').replace(/\/\{.*$/, ''))

/** `/v1/context` takes a long query, a vector and a filter; nothing near this. */
export const DEFAULT_LIMITS = { contextBodyBytes: 4 * 1024 * 1024 } as const

/** The HTTP edge, without a listener. What no route of stowage takes streams through to Qdrant. */
export function createApp(dependencies: AppDependencies): express.Express {
  const { improvePoints, passthrough, reporter } = dependencies
  const app = express()
  // Each of these would alter an answer or read a request otherwise than Qdrant does.
  app.disable('x-powered-by').disable('etag').set('query parser', false).enable('case sensitive routing')

  app.use(observeRequests(reporter))
  app.use(OPERATIONS, atEndpoint('operations'))
  app.use(operationsRoutes(dependencies))
  app.use(traceRoutes(dependencies))
  app.use(schemaRoutes(dependencies.version))

  const context = contextRoute({ ...dependencies, maxBytes: dependencies.limits.contextBodyBytes })
  app.post('/v1/context', atEndpoint('context'), context)
  app.all('/v1/context', () => {
    throw new StowageError('not_found', 'Only POST is answered at /v1/context')
  })

  app.use(refuseLoops(() => reporter.passedThrough({ reason: 'loop' })))
  app.use(writeEpoch(dependencies.bumpEpoch))
  if (improvePoints !== null) app.post(SEARCH_PATH, atEndpoint('points'), improvePoints)
  app.use((request, response) => {
    const { reason, body } = handedOver(response)
    reporter.passedThrough({ reason })
    passthrough(request, response, body)
  })
  app.use(errorHandler(reporter))
  return app
}
