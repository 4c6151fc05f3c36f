import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createAnswerCache } from '../adapters/answer-cache.ts'
import { createDeclaredLimit } from '../adapters/qdrant/declared-limit.ts'
import type { Member } from '../cluster/member.ts'
import type { Config } from '../config.ts'
import { type Opened, openTogether } from '../core/work/opened.ts'
import { createImproveHandler } from '../drop-in/route.ts'
import { createApp } from '../http/app.ts'
import { createPassthrough, type HoldAnswer } from '../http/passthrough/passthrough.ts'
import type { Step } from '../http/step.ts'
import { authenticate } from '../http/tenants/authenticate.ts'
import { beginInTurn } from '../http/tenants/turns.ts'
import type { Logger } from '../observe/logger.ts'
import { createRedundancySampler } from '../observe/redundancy-sampler.ts'
import { createChoosePoints, createPrepareQuestion } from '../pipeline/choose-points.ts'
import { createPackContext } from '../pipeline/pack-context.ts'
import { decideByConfiguration } from '../pipeline/plan/decision.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { PackContext, TracedContext } from '../pipeline/services.ts'
import { matchRoute } from '../tenants/guard/match.ts'
import { createTokenizer } from '../text/tokens.ts'
import { openOnlineContexts } from './contexts/online.ts'
import {
  type Base,
  type Decisions,
  openBase,
  openDecisions,
  openReads,
  openServingModels,
  type Reads,
} from './gateway/parts.ts'
import { createHealth } from './health.ts'
import { openIngestionGuard } from './ingestion-guard.ts'
import type { Mcp } from './mcp/open-mcp.ts'
import { type Models, pipelinePorts } from './models.ts'
import { requestProjects } from './projects/open-projects.ts'
import { type OpenedRelay, openRelay } from './relay/open-relay.ts'
import { withDeclared } from './rollout/declared-experiments.ts'
import type { Flags } from './rollout/flags.ts'
import type { ReloadedTenants } from './tenants.ts'
import { openUi } from './ui/open-ui.ts'
import type { Upstream } from './upstream.ts'
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

/** Deadline of packing that nobody waits for. */
const LEISURE_MS = 600_000
const CACHE_LIMITS = { maxEntries: 2_000, maxBytes: 128 * 1024 * 1024 }

/**
 * Builds everything from the configuration. Requests use the Qdrant key of their client or tenant, never the configured one.
 * @param member the worker that this process is; null for a process alone
 */
export function openGateway(config: Config, logger: Logger, member: Member | null = null): Promise<Gateway> {
  return openTogether(opened => openParts(config, logger, member, opened))
}

async function openParts(config: Config, logger: Logger, member: Member | null, opened: Opened): Promise<Gateway> {
  const base = await openBase(config, logger, member, opened, {
    rerankQueue: () => models.reranker?.waiting?.() ?? 0,
    relayVectors: () => relay?.size ?? 0,
  })
  const { upstream, tenants, shared, reporter } = base
  const decisions = await openDecisions(base)
  const models: Models = await openServingModels(base)
  const relay = opened.keep(openRelay(config, { models, tenants, reporter, member, shared: shared?.questions ?? null }))
  const reads = openReads(base)
  // Loads the tables of the encoding (about 0.1 s), so that the first request does not wait for them.
  createTokenizer(config.plan.tokenizerModel).count('')
  const pipeline = pipelineOf(base, decisions, models, reads)
  const { packContext, cache } = packingOf(base, pipeline)
  const proxy = opened.keep(
    createPassthrough({
      upstream: new URL(upstream.url),
      onEnd: status => reporter.upstreamForwarded({ status }),
    }),
  )
  const improvePoints = improvePointsOf(base, pipeline, reads, { relay, hold: proxy.hold })
  const { findTrace, listTraces, flags } = decisions
  let mcp: Promise<Mcp> | null = null
  // Its libraries are loaded only where somebody uses them.
  const openMcp = () => {
    const parts = { config, packContext, findTrace, upstream, http: reads.http, reporter }
    mcp ??= import('./mcp/open-mcp.ts').then(opening => opening.openMcp(parts))
    return mcp
  }
  opened.keep({ close: async () => (await mcp)?.close() })
  const { apiKey } = upstream
  const { projects, mappings } = base
  const online = opened.keep(
    await openOnlineContexts(config, {
      ...{ http: reads.http, apiKey, projects, mappings, models, tenants, reporter, member },
    }),
  )
  const app = createApp({
    ...(config.settings.MCP && { mcp: (await openMcp()).route }),
    ...(config.settings.UI && {
      ui: openUi({ config, pipeline, packContext, listTraces, http: reads.clientHttp, reporter, mappings }),
    }),
    ...(relay && { relay: relay.route }),
    ...sharedRoutes(base, decisions, reads),
    packContext,
    noticeUpserts: online.noticeUpserts,
    improvePoints,
    passthrough: proxy.passthrough,
    health: createHealth(reads.http, models, { tenants, flags, contexts: online, shared }),
    bumpEpoch: member?.shareEpochs(cache.bumpEpoch, config.settings.CACHE_TTL_MS > 0) ?? cache.bumpEpoch,
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

function pipelineOf({ config, projects, reporter }: Base, decisions: Decisions, models: Models, { store }: Reads) {
  const { settings } = config
  const { flags, traces, rollout, offerShadow } = decisions
  return {
    ports: pipelinePorts(models, store, reporter),
    decide: flags.decide,
    contextualTwins: settings.CONTEXTUAL_COLLECTIONS,
    traces,
    findProject: requestProjects(projects, config),
    deadlineMs: settings.REQUEST_DEADLINE_MS,
    alwaysTrace: settings.RETRIEVAL_TRACE,
    newId: randomUUID,
    now: () => performance.now(),
    wallClock: () => new Date(),
    observeOutcome: rollout.observe,
    offerShadow,
  }
}

type Pipeline = ReturnType<typeof pipelineOf>

/** `/v1/context`, with the cache of its answers. */
function packingOf({ config, shared, reporter }: Base, pipeline: Pipeline) {
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
  return { packContext, cache }
}

function improvePointsOf(
  { config: { settings }, reporter, mappings }: Base,
  pipeline: Pipeline,
  { http, clientHttp, store }: Reads,
  { relay, hold }: { relay: OpenedRelay | null; hold: HoldAnswer },
): Step {
  return createImproveHandler({
    http,
    choosePoints: createChoosePoints(pipeline),
    documentFilter: store.documentFilter,
    declaredLimit: createDeclaredLimit(clientHttp),
    prepareQuestion: createPrepareQuestion(pipeline),
    decide: subject => {
      const decision = pipeline.decide(subject)
      return { ...decision, improves: decision.improves && settings.STOWAGE_DROPIN === 'improve' }
    },
    ...(relay && { findQuestion: relay.findQuestion }),
    deadlineMs: settings.DROPIN_DEADLINE_MS,
    mappings,
    hedgeMs: settings.DROPIN_HEDGE_MS,
    holdOriginal: hold,
    observeOutcome: pipeline.observeOutcome,
    report: event => {
      if (event.hedged) reporter.searchHedged({ winner: event.reason === null ? 'improved' : 'original' })
      reporter.searchReported({ ...event })
    },
    onPause: change => reporter.improvingPaused(change),
  })
}

/** What the routes have from the parts that are opened first. */
function sharedRoutes(
  { config, member, metrics, reporter, spans, limiter, tenants }: Base,
  { findTrace, rollout, flags }: Decisions,
  { http }: Reads,
) {
  return {
    ...(tenants && { admitTenant: [authenticate(tenants), limiter.handler, beginInTurn], keys: tenants }),
    guardUpserts: openIngestionGuard(config, http, reporter),
    guard: { http, matchRoute, onRefused: (status: number) => reporter.guardRefused({ status }) },
    findTrace,
    experiments: withDeclared(rollout, () => flags.catalogue()?.experiments.map(({ name }) => name) ?? []),
    metrics: member?.sumOf(metrics) ?? metrics,
    reporter,
    spans,
    version: VERSION,
  }
}
