import type { RequestListener } from 'node:http'
import express from 'express'
import { StowageError } from '../core/errors.ts'
import type { Reporter } from '../observe/events.ts'
import type { PrintedMetrics } from '../observe/metrics.ts'
import type { Spans } from '../observe/spans.ts'
import type { FindTrace, PackContext } from '../pipeline/services.ts'
import { SEARCH_PATH } from '../qdrant/paths.ts'
import type { Experiments } from '../rollout/rollout.ts'
import type { KnownKeys } from '../tenants/tenant.ts'
import { limitUploadSilence } from './body/upload-silence.ts'
import { inTurn } from './connection/in-turn.ts'
import { contextRoute } from './context-route.ts'
import { OWN_ROUTES } from './description/own-routes.ts'
import { errorHandler, sendError } from './error-handler.ts'
import { resetExperiment, showExperiments, showOutcomes } from './experiment-routes.ts'
import { atEndpoint, observeRequests } from './observe-requests.ts'
import { openApi, planJsonSchema, tenantsJsonSchema, traceJsonSchema } from './openapi.ts'
import {
  forOperators,
  type Health,
  showAlive,
  showDocument,
  showMetrics,
  showReadiness,
  showReference,
  showTrace,
} from './operations-routes.ts'
import { handedOver } from './passthrough/hand-over.ts'
import type { Passthrough } from './passthrough/passthrough.ts'
import { refuseLoops } from './passthrough/via.ts'
import { type BumpEpoch, writeEpoch } from './passthrough/write-epoch.ts'
import { asListener, inOrder, type Step } from './step.ts'
import { type GuardDependencies, guardRequests } from './tenants/guard-requests.ts'
import { admitOperators } from './tenants/operators.ts'
import { UI_IS_OFF, type UiRoutes } from './ui/routes.ts'

export interface AppDependencies {
  packContext: PackContext
  /** Finds the tenant of a request and keeps it within its limits. Default: no tenants. */
  admitTenant?: Step[]
  /** The keys of tenants and operators: operators alone may read the metrics and the experiments. Default: everybody may. */
  keys?: KnownKeys
  /** The ingestion guard. It calls `next()` for requests that go on. Null switches it off. */
  guardUpserts: Step | null
  /** Notices the points that clients write, without changing anything. It calls `next()` at once. Default: none. */
  noticeUpserts?: Step
  /** The drop-in route. It calls `next()` for requests that must pass through. Null switches it off. */
  improvePoints: Step | null
  /** The tools for agents at `/mcp`. Default: the path is Qdrant's. */
  mcp?: express.RequestHandler[]
  /** The page to look at. Default: its routes say that it is off. */
  ui?: UiRoutes
  /** The embedding relay, and its paths. Default: these paths are Qdrant's. */
  relay?: { paths: readonly string[]; handler: express.RequestHandler }
  passthrough: Passthrough
  findTrace: FindTrace
  experiments: Experiments
  health: Health
  metrics: PrintedMetrics
  reporter: Reporter
  /** Default: none. */
  spans?: Spans
  bumpEpoch: BumpEpoch
  /** How requests of tenants to Qdrant are guarded. Needed with `admitTenant`. */
  guard?: GuardDependencies
  /** Most bytes of a body of `/v1/context`. Default: 4 MiB, more than any query, vector and filter. */
  maxContextBytes?: number
  /** Longest silence of a client in the middle of its body. Default: one minute. */
  uploadSilenceMs?: number
  version: string
}

/** The HTTP application, without a listener. Requests to unknown routes are streamed to Qdrant. */
export function createApp(dependencies: AppDependencies): RequestListener {
  const { reporter, spans, uploadSilenceMs = 60_000, admitTenant = [] } = dependencies
  const app = express()
  // Each of these defaults would change an answer, or read a request differently from Qdrant.
  app.disable('x-powered-by').disable('etag').set('query parser', false).enable('case sensitive routing')
  const arrive = inOrder(observeRequests(reporter, spans), limitUploadSilence(uploadSilenceMs, sendError))
  app.use(arrive)
  app.use(keepBackslashes)
  addRoutesForEverybody(app, dependencies)
  addRoutesOfTenants(app, dependencies)
  refuseOtherMethods(app)
  addMcp(app, dependencies)

  const refuseLoop = refuseLoops(() => reporter.passedThrough({ reason: 'loop' }))
  const { relay } = dependencies
  if (relay) app.all([...relay.paths], refuseLoop, atEndpoint('relay'), ...admitTenant, relay.handler)
  const routes = qdrantRoutes(dependencies)
  const forward = inOrder(
    refuseLoop,
    ...admitTenant,
    admitTenant.length === 0 ? routes : guardRequests(routes, guardOf(dependencies)),
  )
  app.use(forward)
  const answerError = errorHandler(reporter)
  const answerExpressError: express.ErrorRequestHandler = (error, request, response, _next) =>
    answerError(error, request, response)
  app.use(answerExpressError)
  const serveCollection = asListener(inOrder(arrive, forward), answerError)
  return inTurn((request, response) => {
    if (isBelowCollections(request.url)) serveCollection(request, response)
    else app(request, response)
  })
}

/** These routes tell nothing of any tenant, so they need no key of one. */
function addRoutesForEverybody(app: express.Express, dependencies: AppDependencies): void {
  const { health, metrics, experiments, version, admitTenant = [], keys = null, ui = UI_IS_OFF } = dependencies
  const operations = atEndpoint('operations')
  app.get('/healthz', operations, showAlive)
  app.get('/readyz', operations, showReadiness(health))
  app.get('/v1/metrics', operations, forOperators(keys, 'read the metrics'), showMetrics(metrics))
  const forOperator = [operations, forOperators(keys)]
  app.get('/v1/experiments', ...forOperator, showExperiments(experiments))
  app.get('/v1/experiments/:name/outcomes', ...forOperator, showOutcomes(experiments))
  app.post('/v1/experiments/:name/reset', ...forOperator, resetExperiment(experiments))
  const description = () => openApi({ version, needsKey: admitTenant.length > 0 })
  app.get('/v1/openapi.json', operations, showDocument(description))
  app.get('/v1/docs', operations, showReference(description))
  app.get('/v1/schema/trace.json', operations, showDocument(traceJsonSchema))
  app.get('/v1/schema/plan.json', operations, showDocument(planJsonSchema))
  app.get('/v1/schema/tenants.json', operations, showDocument(tenantsJsonSchema))
  app.get('/v1/ui', operations, ui.page)
}

/** Where there are tenants, these routes need the key of one, as those of Qdrant do. */
function addRoutesOfTenants(app: express.Express, dependencies: AppDependencies): void {
  const { findTrace, admitTenant = [], ui = UI_IS_OFF } = dependencies
  const operations = [atEndpoint('operations'), ...admitTenant]
  app.post('/v1/context', atEndpoint('context'), ...admitTenant, contextRoute(dependencies))
  app.get('/v1/traces/:id', ...operations, showTrace(findTrace))
  app.get('/v1/traces', ...operations, ui.traces)
  app.post('/v1/ui/compare', ...operations, ui.compare)
  app.post('/v1/ui/passages', ...operations, ui.passages)
}

/** The tools for agents. Without them, the path is Qdrant's. */
function addMcp(app: express.Express, dependencies: AppDependencies): void {
  const { mcp, keys = null, admitTenant = [] } = dependencies
  if (mcp === undefined) return
  const atMcp = atEndpoint('mcp')
  app.post('/mcp', atMcp, admitOperators(keys, admitTenant), ...mcp)
  // There are no sessions: no stream to wait at, and nothing to end.
  app.all('/mcp', atMcp, (_request, response) => {
    response.setHeader('allow', 'POST')
    throw new StowageError('method_not_allowed', '/mcp accepts POST only')
  })
}

/** Answers other methods than the declared ones under `/v1/` with 405. Other own paths are Qdrant's, too, which answers those itself. */
function refuseOtherMethods(app: express.Express): void {
  const methods = new Map<string, string[]>()
  for (const route of Object.keys(OWN_ROUTES).filter(route => route.includes(' /v1/'))) {
    const [method = '', path = ''] = route.split(' ')
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])])
  }
  for (const [path, allowed] of methods)
    app.all(path.replace(/\{(\w+)\}/gu, ':$1'), (_request, response) => {
      response.setHeader('allow', allowed.join(', '))
      throw new StowageError('method_not_allowed', `${path} accepts ${allowed.join(' and ')} only`)
    })
}

/** Whether no route of stowage itself can be meant. Nearly all requests to Qdrant are such, and they do not wait for the router of Express. */
function isBelowCollections(target = ''): boolean {
  return target.startsWith('/collections')
}

/** @throws Error when there are tenants whose requests nothing guards */
function guardOf({ guard }: AppDependencies): GuardDependencies {
  if (guard === undefined) throw new Error('tenants need a guard')
  return guard
}

/** The routes of Qdrant: improved, or passed through. They see what goes to Qdrant, which for tenants is the guarded request. */
function qdrantRoutes(dependencies: AppDependencies): Step {
  const { guardUpserts, noticeUpserts, improvePoints, passthrough, reporter, bumpEpoch } = dependencies
  const steps: Step[] = [writeEpoch(bumpEpoch)]
  if (guardUpserts !== null) steps.push(guardUpserts)
  if (noticeUpserts) steps.push(noticeUpserts)
  if (improvePoints !== null) steps.push(forSearches(inOrder(atEndpoint('points'), improvePoints)))
  return inOrder(...steps, (request, response) => {
    const { reason, body, held } = handedOver(response)
    reporter.passedThrough({ reason })
    if (held) held.release()
    else passthrough(request, response, body)
  })
}

/** Takes a step for the searches that can be improved only. */
function forSearches(step: Step): Step {
  return (request, response, next) => {
    const [path = ''] = request.url.split(/[?#]/, 1)
    if (request.method === 'POST' && SEARCH_PATH.test(path)) step(request, response, next)
    else next()
  }
}

/**
 * Express reads `\` as `/` in some targets, so `/v1\context#` would be a route of stowage, past an access rule for `/v1/` in front. What
 * goes to Qdrant is `originalUrl`, which does not change.
 */
const keepBackslashes: express.RequestHandler = (request, _response, next) => {
  if (request.url.includes('\\')) request.url = request.url.replaceAll('\\', '%5C')
  next()
}
