import { createQdrantStore } from '../../adapters/qdrant/store.ts'
import { createJsonlSink } from '../../adapters/traces/jsonl-file.ts'
import { createTraceRing } from '../../adapters/traces/memory.ts'
import { combineTraceStores, createTraceObserver, withHashedQueries } from '../../adapters/traces/trace-stores.ts'
import type { Member } from '../../cluster/member.ts'
import type { Config } from '../../config.ts'
import type { Opened } from '../../core/work/opened.ts'
import { createTenantLimiter } from '../../http/tenants/limits.ts'
import { createReporter, type Reporter } from '../../observe/events.ts'
import type { Logger } from '../../observe/logger.ts'
import { createMetrics } from '../../observe/metrics.ts'
import { observeReads } from '../../observe/observed-reads.ts'
import type { Spans } from '../../observe/spans.ts'
import type { TraceStore } from '../../pipeline/services.ts'
import { findReached, listReached } from '../../pipeline/trace/reached-traces.ts'
import { createQdrantHttp, withoutFailureTexts } from '../../qdrant/client.ts'
import { contextModels } from '../contexts/online.ts'
import { type Models, openModels } from '../models.ts'
import { mappingsWithProjects, openProjects } from '../projects/open-projects.ts'
import { rerankNodeNames } from '../rerank/nodes.ts'
import { openFlags } from '../rollout/flags.ts'
import { openRollout } from '../rollout/open-rollout.ts'
import { openTraceFile } from '../serve/trace-file.ts'
import { openSharedState } from '../shared/shared-state.ts'
import { openSpans } from '../spans.ts'
import { openTenants } from '../tenants.ts'
import { openUpstream } from '../upstream.ts'
import { VERSION } from '../version.ts'

const RECENT_TRACES = { entries: 500, maxBytes: 32 * 1024 * 1024 }
/** A start waits this long for the embedding endpoint. Then it serves without dense vectors until the endpoint is there. */
const ENDPOINT_WAIT_MS = 2_000
/** A question is embedded in a few milliseconds, and a worker takes up to 100 MB. */
const QUERY_WORKERS = 1

/** What everything else reports to, reads from, and counts on. @param gauges asked at each scrape */
export async function openBase(
  config: Config,
  logger: Logger,
  member: Member | null,
  opened: Opened,
  gauges: { rerankQueue: () => number; relayVectors: () => number },
) {
  const projects = openProjects(config)
  const mappings = await mappingsWithProjects(projects, config)
  const { SLOW_REQUEST_MS: slowMs, LOG_QUERY_TEXT: queryText, REDIS_URL } = config.settings
  const metrics = createMetrics({
    version: VERSION,
    rerankNodes: rerankNodeNames(config),
    contextModels: contextModels(config),
    sharedStore: REDIS_URL !== undefined,
    ...gauges,
  })
  const reporter = createReporter({ metrics, logger, slowMs, queryText })
  const spans = opened.keep(await openSpans(config, reporter))
  const upstream = opened.keep(await openUpstream(config, {}, member?.start.engineUrl))
  const shared = opened.keep(await openSharedState(config, { upstream: upstream.url, reporter }))
  const limiter = createTenantLimiter(reporter, {
    takeShared: shared?.takeToken ?? null,
    ...(member && { workers: member.start.count }),
  })
  const accepted = member?.accepted('TENANTS_FILE') ?? null
  const tenants = opened.keep(await openTenants(config, { reporter, declare: limiter.declare, accepted }))
  return {
    ...{ config, logger, member, opened, projects, mappings },
    ...{ metrics, reporter, spans, upstream, shared, limiter, tenants },
  }
}

export type Base = Awaited<ReturnType<typeof openBase>>

/** What decides the plan of a request, and keeps what became of it. */
export async function openDecisions({ config, logger, member, opened, reporter, spans }: Base) {
  const traces = opened.keep(openTraces(config, reporter, spans, logger, member))
  const findTrace = findReached(member?.findTrace(traces) ?? (async (id, owner) => traces.find(id, owner)))
  const listTraces = listReached(member?.listTraces(traces) ?? (async owner => traces.list(owner)))
  const { rollout, offerShadow } = opened.keep(await openRollout(config, { reporter, logger, traces, member }))
  const { isRolledBack } = rollout
  const flags = opened.keep(
    await openFlags(config, { reporter, isRolledBack, ...(member && { accepted: member.accepted }) }),
  )
  return { traces, findTrace, listTraces, rollout, offerShadow, flags }
}

export type Decisions = Awaited<ReturnType<typeof openDecisions>>

/** The models, as a process that serves wants them. */
export async function openServingModels({ config, member, opened, reporter, shared }: Base): Promise<Models> {
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
  return models
}

/** How Qdrant is read. Clients of tenants do not see what it says of a failure. */
export function openReads({ opened, upstream, reporter, spans, tenants, mappings }: Base) {
  const http = opened.keep(createQdrantHttp(upstream.url, observeReads(reporter, spans)))
  const clientHttp = tenants === null ? http : withoutFailureTexts(http)
  const store = createQdrantStore({
    http: clientHttp,
    mappings,
    onRetry: () => reporter.searchRetried(),
    onDenseOnly: collection => reporter.denseOnlySearched({ collection }),
  })
  return { http, clientHttp, store }
}

export type Reads = ReturnType<typeof openReads>

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
