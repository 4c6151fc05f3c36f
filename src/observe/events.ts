import type { PassthroughReason } from '../core/vocabulary.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

export type Endpoint = 'context' | 'points' | 'passthrough' | 'operations'
export type Outcome = 'ok' | 'client_error' | 'upstream_error' | 'internal_error' | 'aborted'

/** One function per event. Each updates metrics and log, and none throws. */
export interface Reporter {
  requestFinished(event: {
    endpoint: Endpoint
    outcome: Outcome
    status: number
    seconds: number
    requestId: string
  }): void
  /** An unexpected error. Its stack is logged here only. */
  requestFailed(event: { error: unknown; requestId: string }): void
  passedThrough(event: { reason: PassthroughReason }): void
  upstreamFailed(event: { status: number; message: string; cause: unknown }): void
  contextTraced(event: { trace: Trace }): void
  /** The client's own search was sent beside the improved one. */
  searchHedged(event: { winner: 'improved' | 'original' }): void
  /** Improving the searches of a collection pauses, or goes on. */
  improvingPaused(event: { collection: string; paused: boolean }): void
}

export function createReporter({ metrics, logger }: { metrics: Metrics; logger: Logger }): Reporter {
  return {
    requestFinished: quietly(event => {
      metrics.requests.inc({ endpoint: event.endpoint, outcome: event.outcome })
      metrics.requestSeconds.observe({ endpoint: event.endpoint }, event.seconds)
      logger.debug(event, 'request finished')
    }),
    requestFailed: quietly(({ error, requestId }) => logger.error({ err: error, requestId }, 'request failed')),
    passedThrough: quietly(event => metrics.passthrough.inc(event)),
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
      if (trace.endpoint === 'context') metrics.contextTokens.observe(trace.budget.used)
    }),
  }
}

/** Ignores errors of a report, so that reporting never fails a request. */
function quietly<Event>(report: (event: Event) => void): (event: Event) => void {
  return event => {
    try {
      report(event)
    } catch {}
  }
}
