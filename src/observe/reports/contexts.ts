import type { ChunkContext } from '../../contexts/context.ts'
import type { Logger } from '../logger.ts'
import { CONTEXT_TOKEN_KINDS } from '../metrics/contexts.ts'
import type { Metrics } from '../metrics.ts'

/** New points that stay without a context of this model. */
interface LostContexts {
  model: string
  collection: string
  /** Null when nobody knows how many. */
  points: number | null
  outcome: 'dropped' | 'failed'
  detail: string
}

/** The log says once in this time that points were lost. */
const LOG_EVERY_MS = 60_000

/** The reports about contexts of new points. */
export interface ContextReports {
  /** A new point got a context. `model` was asked; `dollars` is null when its price is not known. */
  contextWritten(event: { model: string; context: ChunkContext; dollars: number | null }): void
  contextsLost(event: LostContexts): void
  /** Contexts for a collection pause with this detail; null: they go on. */
  contextsPaused(event: { collection: string; detail: string | null }): void
  /** Number of new points that wait for a context. */
  contextsQueued(event: { points: number }): void
}

export function createContextReports(metrics: Metrics, logger: Logger): ContextReports {
  let loggedAt = Number.NEGATIVE_INFINITY
  let unlogged = 0
  return {
    contextWritten: ({ model, context, dollars }) => {
      metrics.contexts.inc({ model, outcome: context.fallback === null ? 'written' : 'fallback' })
      metrics.contextQuality.observe(context.quality)
      for (const [kind, field] of CONTEXT_TOKEN_KINDS)
        metrics.contextModelTokens.inc({ model, kind }, context.usage[field])
      if (dollars !== null) metrics.contextCost.inc({ model }, dollars)
    },
    contextsLost: ({ points, model, outcome, ...line }) => {
      metrics.contexts.inc({ model, outcome }, points ?? 0)
      unlogged += points ?? 0
      if (performance.now() - loggedAt < LOG_EVERY_MS) return
      logger.warn(
        { model, outcome, ...line, points: points === null ? null : unlogged },
        'new points stay without a context; stowage contextualize writes it',
      )
      loggedAt = performance.now()
      unlogged = 0
    },
    contextsPaused: event => {
      if (event.detail === null) logger.info({ collection: event.collection }, 'contexts of new points go on')
      else logger.warn(event, 'contexts of new points pause')
    },
    contextsQueued: ({ points }) => metrics.contextQueue.set(points),
  }
}
