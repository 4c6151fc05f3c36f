import type { PassageObserver } from '../core/ports.ts'
import type { PassthroughReason, UpsertFaultCode } from '../core/vocabulary.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import { countTrace } from './count-trace.ts'
import { createRequestReports, type FinishedRequest } from './finished-requests.ts'
import type { Logger } from './logger.ts'
import { PAIR_RESULTS } from './metrics/pipeline.ts'
import type { LookupResult, NoticeOutcome } from './metrics/relay.ts'
import { statusClass, type UpstreamKind } from './metrics/upstream.ts'
import type { Metrics } from './metrics.ts'
import type { QueryTextMode } from './query-text.ts'
import { type ContextReports, createContextReports } from './reports/contexts.ts'
import { createFlagReports, type FlagReports } from './reports/flags.ts'
import { createOutageReports } from './reports/outages.ts'
import { createRerankReports, type RerankReports } from './reports/rerank.ts'
import { createRolloutReports, type RolloutReports } from './reports/rollout.ts'
import { createSharedReports, type SharedReports } from './reports/shared.ts'
import { createTenantReports, type TenantReports } from './reports/tenants.ts'
import { TenantLabels } from './tenant-labels.ts'

/** The ingestion guard found a fault in an upsert, or could not check it. */
export interface GuardedUpsert {
  action: 'refused' | 'warned' | 'passed'
  reason: UpsertFaultCode
  collection: string
  detail: string
}

/** One function per event. Each updates metrics and log, and none throws. */
export interface Reporter
  extends RerankReports,
    ContextReports,
    FlagReports,
    RolloutReports,
    SharedReports,
    TenantReports,
    PassageObserver {
  requestFinished(event: FinishedRequest): void
  /** An unexpected error. Its stack is logged here only. */
  requestFailed(event: { error: unknown; requestId: string }): void
  passedThrough(event: { reason: PassthroughReason }): void
  upsertGuarded(event: GuardedUpsert): void
  /** The endpoint of embeddings failed. */
  upstreamFailed(event: { status: number; message: string; cause: unknown }): void
  contextTraced(event: { trace: Trace }): void
  /** How much a context repeats itself, for a sample of the contexts: see `redundancyOf`. */
  redundancyMeasured(event: { ratio: number }): void
  /** A reranker ended: numbers of pairs that it scored, knew already, and left out. */
  pairsReranked(event: { scored: number; cached: number; skipped: number }): void
  /** Number of requests of `/v1/context` that wait for a place. */
  requestsWaiting(event: { length: number }): void
  /** A request of a tenant was refused because it does not keep to what is the tenant's. */
  guardRefused(event: { status: number }): void
  /** How an attempt to improve a search ended. `detail` can quote the request. */
  searchReported(event: { reason: PassthroughReason | null; detail: string; [more: string]: unknown }): void
  /** A read of Qdrant by stowage itself ended: with the status of the answer, or with null without one. One that was given up early is no failure. */
  upstreamRead(event: { status: number | null; seconds: number; isGivenUp: boolean }): void
  /** Qdrant answered a forwarded request completely, or did not (null). */
  upstreamForwarded(event: { status: number | null }): void
  /** The client's own search was sent beside the improved one. */
  searchHedged(event: { winner: 'improved' | 'original' }): void
  /** Improving the searches of a collection pauses, or goes on. */
  improvingPaused(event: { collection: string; tenant: string | null; paused: boolean }): void
  /** Spans cannot be exported; null: they can again. Called when it changes. */
  spansExported(event: { error: Error | null }): void
  /** At the start, and when a model appears later. */
  modelsOpened(event: { unavailable: { embedder: string | null; reranker: string | null } }): void
  /** A hybrid search of a collection without sparse vectors for keywords, once for each collection. */
  denseOnlySearched(event: { collection: string }): void
  /** A search that failed for a moment is sent a second time. */
  searchRetried(): void
  /** Questions went through the embedding relay. `count` is 1 for a request that was skipped or not readable. */
  questionsNoticed(event: { outcome: NoticeOutcome; count: number }): void
  /** The question of a vector was looked for. */
  questionLookedUp(event: { result: LookupResult }): void
  /** A worker ended by itself, and is started again after some milliseconds. */
  workerLost(event: { pid: number; detail: string; restartMs: number }): void
  /** The event loop of a worker has not turned for some milliseconds. The worker is killed, and then lost. */
  workerHung(event: { pid: number; silentMs: number }): void
}

export interface ReporterOptions {
  metrics: Metrics
  logger: Logger
  /** A request that takes longer is slow, in milliseconds; 0 switches it off. */
  slowMs?: number
  /** How the log shows query text. Default: not at all. */
  queryText?: QueryTextMode
}

export function createReporter({ metrics, logger, slowMs = 0, queryText = 'off' }: ReporterOptions): Reporter {
  const labels = new TenantLabels()
  const requests = createRequestReports({ metrics, logger, labels, slowMs, queryText })
  const outages = createOutageReports(logger)
  const upstreamAnswered = (kind: UpstreamKind, status: number | null) =>
    metrics.upstreamResponses.inc({ status: statusClass(status), kind })
  return quietly<Reporter>({
    requestFinished: event => requests.finished(event),
    requestFailed: ({ error, requestId }) => logger.error({ err: error, requestId }, 'request failed'),
    passedThrough: event => metrics.passthrough.inc(event),
    upsertGuarded: ({ action, reason, ...line }) => {
      metrics.guardedUpserts.inc({ action, reason })
      logger.warn({ action, reason, ...line }, 'upsert to a managed collection')
    },
    upstreamFailed: ({ status, message, cause }) => logger.warn({ status, err: cause }, message),
    searchHedged: ({ winner }) => metrics.hedges.inc({ winner }),
    improvingPaused: event => {
      if (event.paused) metrics.pausedCollections.inc()
      else metrics.pausedCollections.dec()
      logger.info(event, event.paused ? 'improving pauses' : 'improving goes on')
    },
    denseOnlySearched: event =>
      logger.info(event, 'the collection has no sparse vectors with modifier idf: BM25 ranks its dense hits only'),
    contextTraced: ({ trace }) => {
      requests.traced(trace)
      countTrace(trace, metrics, labels)
    },
    redundancyMeasured: ({ ratio }) => metrics.redundancy.observe(ratio),
    pairsReranked: pairs => {
      for (const result of PAIR_RESULTS) metrics.rerankPairs.inc({ result }, pairs[result])
    },
    requestsWaiting: ({ length }) => metrics.waitingRequests.set(length),
    guardRefused: ({ status }) => metrics.guardRefusals.inc({ status: String(status) }),
    searchReported: ({ detail, ...event }) =>
      logger.debug(queryText === 'text' ? { ...event, detail } : event, 'search on a path of Qdrant'),
    upstreamRead: ({ status, seconds, isGivenUp }) => {
      metrics.upstreamSeconds.observe({ outcome: status === null ? 'failed' : 'answered' }, seconds)
      if (!isGivenUp) upstreamAnswered('read', status)
    },
    upstreamForwarded: ({ status }) => {
      upstreamAnswered('forwarded', status)
      outages.forwarded(status)
    },
    spansExported: ({ error }) => {
      if (error === null) logger.info('spans are exported again')
      else logger.warn({ detail: error.message }, 'spans cannot be exported; requests go on without')
    },
    modelsOpened: ({ unavailable }) => {
      for (const [model, reason] of Object.entries(unavailable)) {
        metrics.modelUnavailable.set({ model }, reason === null ? 0 : 1)
      }
    },
    searchRetried: () => metrics.searchRetries.inc(),
    questionsNoticed: ({ outcome, count }) => metrics.relayQuestions.inc({ outcome }, count),
    questionLookedUp: ({ result }) => metrics.relayLookups.inc({ result }),
    workerLost: ({ pid: workerPid, ...event }) => {
      metrics.workerRestarts.inc()
      logger.error({ workerPid, ...event }, 'a worker ended; it is started again')
    },
    workerHung: ({ pid: workerPid, ...event }) => {
      metrics.workerHangs.inc()
      logger.error({ workerPid, ...event }, 'the event loop of a worker does not turn; the worker is killed')
    },
    ...createContextReports(metrics, logger),
    ...createFlagReports(metrics, logger),
    ...createRolloutReports(metrics, logger),
    ...createSharedReports(metrics, logger),
    ...createTenantReports(metrics, logger, labels),
    ...createRerankReports(metrics, logger),
  })
}

/** Reports that ignore their errors, so that reporting never fails a request. */
function quietly<Reports extends object>(reports: Reports): Reports {
  const quiet = Object.entries(reports).map(([name, report]) => [
    name,
    (event: unknown): void => {
      try {
        report(event)
      } catch {}
    },
  ])
  return Object.fromEntries(quiet)
}
