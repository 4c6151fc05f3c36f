import { redactUrls } from '../../core/redact-urls.ts'
import type { Logger } from '../logger.ts'
import type { SharedKind, SharedOperation, SharedResult } from '../metrics/shared.ts'
import type { Metrics } from '../metrics.ts'

/** The reports about the store that processes share. */
export interface SharedReports {
  /** Values were looked for in the shared store, or written to it. */
  sharedUsed(event: { operation: SharedOperation; kind: SharedKind; result: SharedResult; count: number }): void
  /** A call of the shared store was answered. */
  sharedAnswered(event: { operation: SharedOperation; seconds: number }): void
  /** The shared store cannot be read or written; null: it can again. Called when it changes. */
  sharedChanged(event: { operation: SharedOperation; error: Error | null }): void
}

export function createSharedReports(metrics: Metrics, logger: Logger): SharedReports {
  return {
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
  }
}
