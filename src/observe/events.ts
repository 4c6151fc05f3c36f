import type { PassthroughReason } from '../core/vocabulary.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

export type Endpoint = 'context' | 'points' | 'passthrough' | 'operations'
export type Outcome = 'ok' | 'client_error' | 'upstream_error' | 'internal_error' | 'aborted'

/** One function per business event; each feeds metric and log together and none ever throws. */
export interface Reporter {
  requestFinished(event: {
    endpoint: Endpoint
    outcome: Outcome
    status: number
    seconds: number
    requestId: string
  }): void
  /** A fault of our own: the only place where its stack goes. */
  requestFailed(event: { error: unknown; requestId: string }): void
  passedThrough(event: { reason: PassthroughReason }): void
  upstreamFailed(event: { status: number; message: string; cause: unknown }): void
  contextTraced(event: { trace: Trace }): void
}

/** Observers never break the flow: whatever goes wrong here is swallowed. */
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
  }
}

function quietly<Event>(report: (event: Event) => void): (event: Event) => void {
  return event => {
    try {
      report(event)
    } catch {
      // Nobody is left to tell.
    }
  }
}
