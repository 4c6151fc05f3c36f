import type { PassthroughReason, RollbackTrigger, ShadowOutcome, UpsertFaultCode } from '../core/vocabulary.ts'
import type { FlagDecision } from '../pipeline/plan/decision.ts'
import type { ExperimentOutcome } from '../pipeline/plan/outcome.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import type { Logger } from './logger.ts'
import { type ENDPOINTS, type Metrics, OUTCOMES, TENANT_LIMITS, type TenantLimit } from './metrics.ts'

export type Endpoint = (typeof ENDPOINTS)[number]
export type Outcome = (typeof OUTCOMES)[number]

/** A request at its end, for one line of the log. It holds no text of a query and no key. */
export interface FinishedRequest {
  endpoint: Endpoint
  outcome: Outcome
  /** Method and path, without the query string. */
  route: string
  status: number
  seconds: number
  requestId: string
  /** Null without tenants, and when the key is not that of a tenant. */
  tenant: string | null
  /** Id of the trace, when there is one. A batch has several, separated by commas. */
  traceId: string | null
  /** Codes of the steps that could not do their work, or of the reason why a search passed through. */
  degraded: string[]
  /** Null when no limit of a tenant refused it. */
  limited: LimitedRequest | null
}

/** The tenant of a refused request, and the limit that it has reached. */
export interface LimitedRequest {
  tenant: string
  limit: TenantLimit
}

/** One function per event. Each updates metrics and log, and none throws. */
export interface Reporter {
  requestFinished(event: FinishedRequest): void
  /** An unexpected error. Its stack is logged here only. */
  requestFailed(event: { error: unknown; requestId: string }): void
  passedThrough(event: { reason: PassthroughReason }): void
  /** The ingestion guard found a fault in an upsert, or could not check it. */
  upsertGuarded(event: {
    action: 'refused' | 'warned' | 'passed'
    reason: UpsertFaultCode
    collection: string
    detail: string
  }): void
  upstreamFailed(event: { status: number; message: string; cause: unknown }): void
  contextTraced(event: { trace: Trace }): void
  /** A read of Qdrant ended: with an answer of any status, or without one. */
  upstreamRead(event: { outcome: 'answered' | 'failed'; seconds: number }): void
  /** The client's own search was sent beside the improved one. */
  searchHedged(event: { winner: 'improved' | 'original' }): void
  /** Improving the searches of a collection pauses, or goes on. */
  improvingPaused(event: { collection: string; paused: boolean }): void
  /** At the start, and when a model appears later. */
  modelsOpened(event: { unavailable: { embedder: string | null; reranker: string | null } }): void
  /** The names of all tenants, at the start and after a change of their file, and of those that are gone. */
  tenantsDeclared(event: { names: ReadonlySet<string>; gone: readonly string[] }): void
  /** The file of tenants has changed. Faults: it is refused, and the tenants of before stay. */
  tenantsReloaded(event: { tenants: number; faults: readonly string[] | null }): void
  /** A search that failed for a moment is sent a second time. */
  searchRetried(): void
  /** The flags that a source set for one request. */
  flagsDecided(event: { flags: readonly FlagDecision[] }): void
  /** The Unleash server answered, or did not. `error` is null when it did. */
  flagsRefreshed(event: { source: 'unleash'; error: string | null }): void
  /** What is wrong with the flags of the source, one sentence each. Called when it changes. */
  flagsChecked(event: { faults: readonly string[] }): void
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
}

export function createReporter({ metrics, logger }: { metrics: Metrics; logger: Logger }): Reporter {
  /** The values of the label of tenants. A request can outlive its tenant. */
  let declared: ReadonlySet<string> = new Set()
  return {
    requestFinished: quietly(event => {
      metrics.requests.inc({ endpoint: event.endpoint, outcome: event.outcome })
      metrics.requestSeconds.observe({ endpoint: event.endpoint }, event.seconds)
      if (event.limited !== null) metrics.tenantLimited.inc({ ...event.limited })
      const { seconds, tenant, limited, ...line } = event
      if (tenant !== null && declared.has(tenant)) metrics.tenantRequests.inc({ tenant, outcome: event.outcome })
      // Probes and scrapes come every few seconds and say nothing. A flood of refused requests must not become a flood of lines.
      const isQuiet = limited !== null || (event.endpoint === 'operations' && event.outcome === 'ok')
      const level = isQuiet ? 'debug' : 'info'
      logger[level](
        { ...line, ...(tenant !== null && { tenant }), ...limited, ms: Math.round(seconds * 1_000) },
        'request finished',
      )
    }),
    requestFailed: quietly(({ error, requestId }) => logger.error({ err: error, requestId }, 'request failed')),
    passedThrough: quietly(event => metrics.passthrough.inc(event)),
    upsertGuarded: quietly(({ action, reason, ...line }) => {
      metrics.guardedUpserts.inc({ action, reason })
      logger.warn({ action, reason, ...line }, 'upsert to a managed collection')
    }),
    upstreamFailed: quietly(({ status, message, cause }) => logger.warn({ status, err: cause }, message)),
    searchHedged: quietly(({ winner }) => metrics.hedges.inc({ winner })),
    improvingPaused: quietly(event => {
      if (event.paused) metrics.pausedCollections.inc()
      else metrics.pausedCollections.dec()
      logger.info(event, event.paused ? 'improving pauses' : 'improving goes on')
    }),
    contextTraced: quietly(({ trace }) => {
      for (const stage of trace.stages) metrics.stageSeconds.observe({ stage: stage.name }, stage.ms / 1_000)
      for (const { code } of trace.degraded) metrics.degraded.inc({ code })
      for (const { reason } of trace.candidates) if (reason !== null) metrics.dropped.inc({ reason })
      if (trace.endpoint === 'context') metrics.contextTokens.observe(trace.budget.used)
    }),
    upstreamRead: quietly(({ outcome, seconds }) => metrics.upstreamSeconds.observe({ outcome }, seconds)),
    modelsOpened: quietly(({ unavailable }) => {
      for (const [model, reason] of Object.entries(unavailable)) {
        metrics.modelUnavailable.set({ model }, reason === null ? 0 : 1)
      }
    }),
    tenantsDeclared: quietly(({ names, gone }) => {
      declared = names
      for (const outcome of OUTCOMES) {
        for (const tenant of gone) metrics.tenantRequests.remove({ tenant, outcome })
        for (const tenant of names) metrics.tenantRequests.inc({ tenant, outcome }, 0)
      }
      for (const limit of TENANT_LIMITS) {
        for (const tenant of gone) metrics.tenantLimited.remove({ tenant, limit })
        for (const tenant of names) metrics.tenantLimited.inc({ tenant, limit }, 0)
      }
    }),
    tenantsReloaded: quietly(({ tenants, faults }) => {
      metrics.tenantsReloads.inc({ outcome: faults === null ? 'replaced' : 'refused' })
      metrics.tenantsFileRefused.set(faults === null ? 0 : 1)
      if (faults === null) logger.info({ tenants }, 'the tenants are replaced')
      else logger.error({ tenants, faults }, 'the file of tenants is refused; the tenants of before stay')
    }),
    searchRetried: quietly(() => metrics.searchRetries.inc()),
    flagsDecided: quietly(({ flags }) => {
      for (const { flag, enabled, source } of flags)
        metrics.flagDecisions.inc({ flag, value: enabled ? 'on' : 'off', source })
    }),
    flagsRefreshed: quietly(({ source, error }) => {
      metrics.flagsSourceUp.set({ source }, error === null ? 1 : 0)
      if (error === null) metrics.flagsRefreshed.setToCurrentTime({ source })
      else logger.warn({ source, detail: error }, 'flags cannot be refreshed; the last known values are used')
    }),
    flagsChecked: quietly(({ faults }) => {
      metrics.flagsUnknown.set(faults.length)
      for (const fault of faults) logger.warn({ fault }, 'flags have a fault')
    }),
    experimentObserved: quietly(({ outcome: { assignment, failed, seconds, tokens, recallProxy } }) => {
      const labels = { experiment: assignment.experiment, variant: assignment.variant }
      metrics.experimentRequests.inc({ ...labels, outcome: failed ? 'failed' : 'ok' })
      metrics.experimentSeconds.observe(labels, seconds)
      if (tokens !== null) metrics.experimentTokens.observe(labels, tokens)
      if (recallProxy !== null) metrics.experimentRecallProxy.observe(labels, recallProxy)
    }),
    rolledBack: quietly(event => {
      metrics.experimentRolledBack.set({ experiment: event.experiment }, 1)
      metrics.experimentRollbacks.inc({ experiment: event.experiment, trigger: event.trigger })
      logger.error(event, 'the experiment is rolled back: everyone gets the control until it is reset')
    }),
    rollbackKept: quietly(event => {
      metrics.experimentRolledBack.set({ experiment: event.experiment }, 1)
      logger.warn(event, 'the experiment is still rolled back: everyone gets the control until it is reset')
    }),
    rollbackReset: quietly(({ experiment }) => {
      metrics.experimentRolledBack.set({ experiment }, 0)
      logger.info({ experiment }, 'the rollback of the experiment was reset')
    }),
    shadowRan: quietly(({ outcome, overlap, detail }) => {
      metrics.shadowRuns.inc({ outcome })
      if (overlap !== null) metrics.shadowOverlap.observe(overlap)
      if (outcome === 'failed') logger.debug({ detail }, 'a shadow run failed')
    }),
    shadowQueued: quietly(({ length }) => metrics.shadowQueue.set(length)),
  }
}

/** Ignores errors of a report, so that reporting never fails a request. */
function quietly<Event = void>(report: (event: Event) => void): (event: Event) => void {
  return event => {
    try {
      report(event)
    } catch {}
  }
}
