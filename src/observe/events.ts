import type { PassageObserver } from '../core/ports.ts'
import { redactUrls } from '../core/redact-urls.ts'
import type { PassthroughReason, RollbackTrigger, ShadowOutcome, UpsertFaultCode } from '../core/vocabulary.ts'
import type { FlagDecision } from '../pipeline/plan/decision.ts'
import type { ExperimentOutcome } from '../pipeline/plan/outcome.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import { countTrace } from './count-trace.ts'
import { createRequestReports, type FinishedRequest } from './finished-requests.ts'
import type { Logger } from './logger.ts'
import { PAIR_RESULTS } from './metrics/pipeline.ts'
import type { LookupResult, NoticeOutcome } from './metrics/relay.ts'
import type { SharedKind, SharedOperation, SharedResult } from './metrics/shared.ts'
import { statusClass, type UpstreamKind } from './metrics/upstream.ts'
import type { Metrics } from './metrics.ts'
import type { QueryTextMode } from './query-text.ts'
import { quietly } from './quietly.ts'
import { type ContextReports, createContextReports } from './reports/contexts.ts'
import { createOutageReports } from './reports/outages.ts'
import { createRerankReports, type RerankReports } from './reports/rerank.ts'
import { TenantLabels } from './tenant-labels.ts'

/** The ingestion guard found a fault in an upsert, or could not check it. */
export interface GuardedUpsert {
  action: 'refused' | 'warned' | 'passed'
  reason: UpsertFaultCode
  collection: string
  detail: string
}

/** One function per event. Each updates metrics and log, and none throws. */
export interface Reporter extends RerankReports, ContextReports, PassageObserver {
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
  /** The names of all tenants, at the start and after a change of their file. */
  tenantsDeclared(event: { names: ReadonlySet<string> }): void
  /** The file of tenants has changed. Faults: it is refused, and the tenants of before stay. */
  tenantsReloaded(event: { tenants: number; faults: readonly string[] | null }): void
  /** A hybrid search of a collection without sparse vectors for keywords, once for each collection. */
  denseOnlySearched(event: { collection: string }): void
  /** A search that failed for a moment is sent a second time. */
  searchRetried(): void
  /** The flags that a source set for one request. */
  flagsDecided(event: { flags: readonly FlagDecision[] }): void
  /** The Unleash server answered, or did not. `error` is null when it did; `instead` is what is used after an error, as a clause. */
  flagsRefreshed(event: { source: 'unleash'; error: string | null; instead: string }): void
  /**
   * What is wrong with the flags of the source, and why a file of flags or plans is refused as a whole, one sentence each. Called when it
   * changes.
   */
  flagsChecked(event: { faults: readonly string[]; refusals: readonly string[] }): void
  /** A request of an experiment ended. */
  experimentObserved(event: { outcome: ExperimentOutcome }): void
  /** The rollback breaker of an experiment opened. */
  rolledBack(event: { experiment: string; variant: string; trigger: RollbackTrigger; detail: string }): void
  /** The rollback of an earlier process is still open at the start. */
  rollbackKept(event: { experiment: string; since: string; detail: string }): void
  /** The rollback breaker of an experiment was closed by hand. */
  rollbackReset(event: { experiment: string }): void
  /** A shadow run ended. `overlap` is the Jaccard index of the chunks of both runs; null when it was not compared. */
  shadowRan(event: { outcome: ShadowOutcome; overlap: number | null; detail: string }): void
  /** Number of shadow runs that wait or run. */
  shadowQueued(event: { length: number }): void
  /** Questions went through the embedding relay. `count` is 1 for a request that was skipped or not readable. */
  questionsNoticed(event: { outcome: NoticeOutcome; count: number }): void
  /** The question of a vector was looked for. */
  questionLookedUp(event: { result: LookupResult }): void
  /** Values were looked for in the shared store, or written to it. */
  sharedUsed(event: { operation: SharedOperation; kind: SharedKind; result: SharedResult; count: number }): void
  /** A call of the shared store was answered. */
  sharedAnswered(event: { operation: SharedOperation; seconds: number }): void
  /** The shared store cannot be read or written; null: it can again. Called when it changes. */
  sharedChanged(event: { operation: SharedOperation; error: Error | null }): void
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
    tenantsDeclared: ({ names }) => {
      const { added, gone } = labels.declare(names)
      for (const label of gone) metrics.removeTenant(label)
      for (const label of added) metrics.addTenant(label)
    },
    tenantsReloaded: ({ tenants, faults }) => {
      metrics.tenantsReloads.inc({ outcome: faults === null ? 'replaced' : 'refused' })
      metrics.tenantsFileRefused.set(faults === null ? 0 : 1)
      if (faults === null) logger.info({ tenants }, 'the tenants are replaced')
      else logger.error({ tenants, faults }, 'the file of tenants is refused; the tenants of before stay')
    },
    searchRetried: () => metrics.searchRetries.inc(),
    flagsDecided: ({ flags }) => {
      for (const { flag, enabled, source } of flags)
        metrics.flagDecisions.inc({ flag, value: enabled ? 'on' : 'off', source })
    },
    flagsRefreshed: ({ source, error, instead }) => {
      metrics.flagsSourceUp.set({ source }, error === null ? 1 : 0)
      if (error === null) metrics.flagsRefreshed.setToCurrentTime({ source })
      else logger.warn({ source, detail: error }, `flags cannot be refreshed; ${instead}`)
    },
    flagsChecked: ({ faults, refusals }) => {
      metrics.flagsUnknown.set(faults.length)
      metrics.flagsFileRefused.set(refusals.length > 0 ? 1 : 0)
      for (const fault of refusals) logger.error({ fault }, 'a file of flags or plans is refused')
      for (const fault of faults) logger.warn({ fault }, 'flags have a fault')
    },
    experimentObserved: ({ outcome: { assignment, failed, seconds, tokens, recallProxy } }) => {
      const labels = { experiment: assignment.experiment, variant: assignment.variant }
      metrics.experimentRequests.inc({ ...labels, outcome: 'ok' }, failed === false ? 1 : 0)
      metrics.experimentRequests.inc({ ...labels, outcome: 'failed' }, failed ? 1 : 0)
      if (seconds !== null) metrics.experimentSeconds.observe(labels, seconds)
      if (tokens !== null) metrics.experimentTokens.observe(labels, tokens)
      if (recallProxy !== null) metrics.experimentRecallProxy.observe(labels, recallProxy)
      // An experiment is known by its first request only: from here on, its series is there.
      metrics.experimentRolledBack.inc({ experiment: assignment.experiment }, 0)
    },
    rolledBack: event => {
      metrics.experimentRolledBack.set({ experiment: event.experiment }, 1)
      metrics.experimentRollbacks.inc({ experiment: event.experiment, trigger: event.trigger })
      logger.error(event, 'the experiment is rolled back: everyone gets the control until it is reset')
    },
    rollbackKept: event => {
      metrics.experimentRolledBack.set({ experiment: event.experiment }, 1)
      logger.warn(event, 'the experiment is still rolled back: everyone gets the control until it is reset')
    },
    rollbackReset: ({ experiment }) => {
      metrics.experimentRolledBack.set({ experiment }, 0)
      logger.info({ experiment }, 'the rollback of the experiment was reset')
    },
    shadowRan: ({ outcome, overlap, detail }) => {
      metrics.shadowRuns.inc({ outcome })
      if (overlap !== null) metrics.shadowOverlap.observe(overlap)
      if (outcome === 'failed') logger.debug({ detail }, 'a shadow run failed')
    },
    shadowQueued: ({ length }) => metrics.shadowQueue.set(length),
    questionsNoticed: ({ outcome, count }) => metrics.relayQuestions.inc({ outcome }, count),
    questionLookedUp: ({ result }) => metrics.relayLookups.inc({ result }),
    sharedUsed: ({ operation, kind, result, count }) =>
      (operation === 'read' ? metrics.sharedReads : metrics.sharedWrites).inc({ kind, result }, count),
    sharedAnswered: ({ operation, seconds }) => metrics.sharedSeconds.observe({ operation }, seconds),
    sharedChanged: ({ operation, error }) => {
      metrics.sharedAvailable.set({ operation }, error === null ? 1 : 0)
      if (error === null) logger.info({ operation }, 'the shared store works again')
      else {
        const line = { operation, detail: redactUrls(error.message) }
        logger.warn(line, 'the shared store does not work; this process goes on alone')
      }
    },
    workerLost: ({ pid: workerPid, ...event }) => {
      metrics.workerRestarts.inc()
      logger.error({ workerPid, ...event }, 'a worker ended; it is started again')
    },
    workerHung: ({ pid: workerPid, ...event }) => {
      metrics.workerHangs.inc()
      logger.error({ workerPid, ...event }, 'the event loop of a worker does not turn; the worker is killed')
    },
    ...createContextReports(metrics, logger),
    ...createRerankReports(metrics, logger),
  })
}
