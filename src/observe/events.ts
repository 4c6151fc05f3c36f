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
  /** At the start, and when a model appears later. */
  modelsOpened(event: { unavailable: { embedder: string | null; reranker: string | null } }): void
  /** A search that failed for a moment is sent a second time. */
  searchRetried(): void
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
    contextTraced: quietly(({ trace }) => {
      for (const stage of trace.stages) metrics.stageSeconds.observe({ stage: stage.name }, stage.ms / 1_000)
      for (const { code } of trace.degraded) metrics.degraded.inc({ code })
      if (trace.endpoint === 'context') metrics.contextTokens.observe(trace.budget.used)
    }),
    modelsOpened: quietly(({ unavailable }) => {
      for (const [model, reason] of Object.entries(unavailable)) {
        metrics.modelUnavailable.set({ model }, reason === null ? 0 : 1)
      }
    }),
    searchRetried: quietly(() => metrics.searchRetries.inc()),
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
