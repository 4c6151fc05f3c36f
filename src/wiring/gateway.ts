import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createAnswerCache } from '../adapters/answer-cache.ts'
import { createDeclaredLimit } from '../adapters/qdrant/declared-limit.ts'
import { createQdrantStore } from '../adapters/qdrant/store.ts'
import { createJsonlSink } from '../adapters/traces/jsonl-file.ts'
import { createTraceRing } from '../adapters/traces/memory.ts'
import { combineTraceStores, createTraceObserver, withHashedQueries } from '../adapters/traces/trace-stores.ts'
import type { Member } from '../cluster/member.ts'
import type { Config } from '../config.ts'
import { type Opened, openTogether } from '../core/work/opened.ts'
import { createImproveHandler } from '../drop-in/route.ts'
import { createApp } from '../http/app.ts'
import { createPassthrough } from '../http/passthrough/passthrough.ts'
import { authenticate } from '../http/tenants/authenticate.ts'
import { createTenantLimiter } from '../http/tenants/limits.ts'
import { beginInTurn } from '../http/tenants/turns.ts'
import { createReporter, type Reporter } from '../observe/events.ts'
import type { Logger } from '../observe/logger.ts'
import { createMetrics } from '../observe/metrics.ts'
import { observeReads } from '../observe/observed-reads.ts'
import { createRedundancySampler } from '../observe/redundancy-sampler.ts'
import type { Spans } from '../observe/spans.ts'
import { createChoosePoints, createPrepareQuestion } from '../pipeline/choose-points.ts'
import { createPackContext } from '../pipeline/pack-context.ts'
import { decideByConfiguration } from '../pipeline/plan/decision.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { PackContext, TracedContext, TraceStore } from '../pipeline/services.ts'
import { findReached, listReached } from '../pipeline/trace/reached-traces.ts'
import { createQdrantHttp, withoutFailureTexts } from '../qdrant/client.ts'
import { matchRoute } from '../tenants/guard/match.ts'
import { createTokenizer } from '../text/tokens.ts'
import { contextModels, openOnlineContexts } from './contexts/online.ts'
import { createHealth } from './health.ts'
import { openIngestionGuard } from './ingestion-guard.ts'
import type { Mcp } from './mcp/open-mcp.ts'
import { type Models, openModels, pipelinePorts } from './models.ts'
import { mappingsWithProjects, openProjects, requestProjects } from './projects/open-projects.ts'
import { openRelay } from './relay/open-relay.ts'
import { rerankNodeNames } from './rerank/nodes.ts'
import { withDeclared } from './rollout/declared-experiments.ts'
import { type Flags, openFlags } from './rollout/flags.ts'
import { openRollout } from './rollout/open-rollout.ts'
import { openTraceFile } from './serve/trace-file.ts'
import { openSharedState } from './shared/shared-state.ts'
import { openSpans } from './spans.ts'
import { openTenants, type ReloadedTenants } from './tenants.ts'
import { openUi } from './ui/open-ui.ts'
import { openUpstream, type Upstream } from './upstream.ts'
import { VERSION } from './version.ts'

/** A complete stowage that does not listen yet. */
export interface Gateway {
  app: RequestListener
  upstream: Upstream
  /** Null without `TENANTS_FILE`. */
  tenants: ReloadedTenants | null
  models: Models
  flags: Flags
  packContext: PackContext
  /** The tools for agents. Opened at the first call, and closed with the gateway. */
  openMcp(): Promise<Mcp>
  /** The same pipeline with another plan, and with time for every step. For the demo. */
  packContextWith(plan: Plan): PackContext
  close(): Promise<void>
}

const RECENT_TRACES = { entries: 500, maxBytes: 32 * 1024 * 1024 }
/** Deadline of packing that nobody waits for. */
const LEISURE_MS = 600_000
/** A start waits this long for the embedding endpoint. Then it serves without dense vectors until the endpoint is there. */
const ENDPOINT_WAIT_MS = 2_000
/** A question is embedded in a few milliseconds, and a worker takes up to 100 MB. */
const QUERY_WORKERS = 1
const CACHE_LIMITS = { maxEntries: 2_000, maxBytes: 128 * 1024 * 1024 }

/**
 * Builds everything from the configuration. Requests use the Qdrant key of their client or tenant, never the configured one.
 * @param member the worker that this process is; null for a process alone
 */
export function openGateway(config: Config, logger: Logger, member: Member | null = null): Promise<Gateway> {
  return openTogether(opened => openParts(config, logger, member, opened))
}

async function openParts(config: Config, logger: Logger, member: Member | null, opened: Opened): Promise<Gateway> {
  const projects = openProjects(config)
  const mappings = await mappingsWithProjects(projects, config)
  const { SLOW_REQUEST_MS: slowMs, LOG_QUERY_TEXT: queryText } = config.settings
  const metrics = createMetrics({
    version: VERSION,
    rerankQueue: () => models.reranker?.waiting?.() ?? 0,
    rerankNodes: rerankNodeNames(config),
    contextModels: contextModels(config),
    relayVectors: () => relay?.size ?? 0,
    sharedStore: config.settings.REDIS_URL !== undefined,
  })
  const reporter = createReporter({ metrics, logger, slowMs, queryText })
  const spans = opened.keep(await openSpans(config, reporter))
  const upstream = opened.keep(await openUpstream(config, {}, member?.start.engineUrl))
  const shared = opened.keep(await openSharedState(config, { upstream: upstream.url, reporter }))
  const limiter = createTenantLimiter(reporter, {
    takeShared: shared?.takeToken ?? null,
    ...(member && { workers: member.start.count }),
  })
  const tenants = opened.keep(
    await openTenants(config, {
      reporter,
      declare: limiter.declare,
      accepted: member?.accepted('TENANTS_FILE') ?? null,
    }),
  )
  const traces = opened.keep(openTraces(config, reporter, spans, logger, member))
  const findTrace = findReached(member?.findTrace(traces) ?? (async (id, owner) => traces.find(id, owner)))
  const listTraces = listReached(member?.listTraces(traces) ?? (async owner => traces.list(owner)))
  const { rollout, offerShadow } = opened.keep(await openRollout(config, { reporter, logger, traces, member }))
  const flags = opened.keep(
    await openFlags(config, {
      reporter,
      isRolledBack: rollout.isRolledBack,
      ...(member && { accepted: member.accepted }),
    }),
  )
  const models: Models = opened.keep(
    await openModels(config, {
      endpointWaitMs: ENDPOINT_WAIT_MS,
      embedderWorkers: QUERY_WORKERS,
      ...(member && { rerankerWorkers: member.modelThreads }),
      onOpened: () => reporter.modelsOpened(models),
      rerankObserver: reporter,
      passageObserver: reporter,
      sharedScores: shared?.scores,
    }),
  )
  reporter.modelsOpened(models)
  const relay = opened.keep(openRelay(config, { models, tenants, reporter, member, shared: shared?.questions ?? null }))
  const http = opened.keep(createQdrantHttp(upstream.url, observeReads(reporter, spans)))
  const clientHttp = tenants === null ? http : withoutFailureTexts(http)
  const store = createQdrantStore({
    http: clientHttp,
    mappings,
    onRetry: () => reporter.searchRetried(),
    onDenseOnly: collection => reporter.denseOnlySearched({ collection }),
  })
  // Loads the tables of the encoding (about 0.1 s), so that the first request does not wait for them.
  createTokenizer(config.plan.tokenizerModel).count('')
  const pipeline = {
    ports: pipelinePorts(models, store, reporter),
    decide: flags.decide,
    contextualTwins: config.settings.CONTEXTUAL_COLLECTIONS,
    traces,
    findProject: requestProjects(projects, config),
    deadlineMs: config.settings.REQUEST_DEADLINE_MS,
    alwaysTrace: config.settings.RETRIEVAL_TRACE,
    newId: randomUUID,
    now: () => performance.now(),
    wallClock: () => new Date(),
    observeOutcome: rollout.observe,
    offerShadow,
  }
  const { CACHE_TTL_MS: ttlMs } = config.settings
  const ownCache = createAnswerCache<TracedContext>({ ttlMs, ...CACHE_LIMITS, now: pipeline.now })
  const cache = ttlMs > 0 && shared !== null ? shared.answers(ownCache) : ownCache
  const packContext = createPackContext({
    ...pipeline,
    cache,
    ...(shared && { sessions: shared.sessions }),
    onWaiting: length => reporter.requestsWaiting({ length }),
    onPacked: createRedundancySampler({ report: event => reporter.redundancyMeasured(event), now: pipeline.now }),
  })
  const proxy = opened.keep(
    createPassthrough({
      upstream: new URL(upstream.url),
      onEnd: status => reporter.upstreamForwarded({ status }),
    }),
  )
  const improvePoints = createImproveHandler({
    http,
    choosePoints: createChoosePoints(pipeline),
    documentFilter: store.documentFilter,
    declaredLimit: createDeclaredLimit(clientHttp),
    prepareQuestion: createPrepareQuestion(pipeline),
    decide: subject => {
      const decision = pipeline.decide(subject)
      return { ...decision, improves: decision.improves && config.settings.STOWAGE_DROPIN === 'improve' }
    },
    ...(relay && { findQuestion: relay.findQuestion }),
    deadlineMs: config.settings.DROPIN_DEADLINE_MS,
    mappings,
    hedgeMs: config.settings.DROPIN_HEDGE_MS,
    holdOriginal: proxy.hold,
    observeOutcome: rollout.observe,
    report: event => {
      if (event.hedged) reporter.searchHedged({ winner: event.reason === null ? 'improved' : 'original' })
      reporter.searchReported({ ...event })
    },
    onPause: change => reporter.improvingPaused(change),
  })
  let mcp: Promise<Mcp> | null = null
  // Its libraries are loaded only where somebody uses them.
  const openMcp = () => {
    const parts = { config, packContext, findTrace, upstream, http, reporter }
    mcp ??= import('./mcp/open-mcp.ts').then(opening => opening.openMcp(parts))
    return mcp
  }
  opened.keep({ close: async () => (await mcp)?.close() })
  const { apiKey } = upstream
  const online = opened.keep(
    await openOnlineContexts(config, {
      ...{ http, apiKey, projects, mappings, models, tenants, reporter, member },
    }),
  )
  const app = createApp({
    ...(config.settings.MCP && { mcp: (await openMcp()).route }),
    ...(config.settings.UI && {
      ui: openUi({ config, pipeline, packContext, listTraces, http: clientHttp, reporter, mappings }),
    }),
    ...(relay && { relay: relay.route }),
    packContext,
    ...(tenants && {
      admitTenant: [authenticate(tenants), limiter.handler, beginInTurn],
      keys: tenants,
    }),
    guardUpserts: openIngestionGuard(config, http, reporter),
    noticeUpserts: online.noticeUpserts,
    guard: { http, matchRoute, onRefused: status => reporter.guardRefused({ status }) },
    improvePoints,
    passthrough: proxy.passthrough,
    findTrace,
    experiments: withDeclared(rollout, () => flags.catalogue()?.experiments.map(({ name }) => name) ?? []),
    health: createHealth(http, models, { tenants, flags, contexts: online, shared }),
    metrics: member?.sumOf(metrics) ?? metrics,
    reporter,
    spans,
    bumpEpoch: member?.shareEpochs(cache.bumpEpoch, config.settings.CACHE_TTL_MS > 0) ?? cache.bumpEpoch,
    version: VERSION,
  })
  return {
    app,
    upstream,
    tenants,
    models,
    flags,
    packContext,
    openMcp,
    packContextWith: plan =>
      createPackContext({ ...pipeline, decide: decideByConfiguration(plan), deadlineMs: LEISURE_MS }),
    close: () => opened.close(),
  }
}

function openTraces(
  { settings }: Config,
  reporter: Reporter,
  spans: Spans,
  logger: Logger,
  member: Member | null,
): TraceStore {
  const stores = [createTraceRing(RECENT_TRACES), createTraceObserver(reporter, spans)]
  if (settings.TRACE_FILE) {
    const file = member?.traceFile ?? openTraceFile(settings.TRACE_FILE, logger)
    const onDropping = (reason: string) => logger.error(`TRACE_FILE=${settings.TRACE_FILE}: ${reason}`)
    const sink = createJsonlSink({ file, onDropping })
    stores.push(settings.TRACE_QUERY_TEXT === 'hash' ? withHashedQueries(sink) : sink)
  }
  return combineTraceStores(...stores)
}
