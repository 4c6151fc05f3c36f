import type { Logger } from '../logger.ts'

/** Qdrant works again when no forwarded request has failed for this long. So an outage that comes and goes has few lines. */
const CALM_MS = 10_000

/** Warns when forwarded requests begin to fail, and says when they work again. Why one failed is in its own line. */
export function createOutageReports(logger: Logger, now = () => performance.now()) {
  let failedAt: number | null = null
  return {
    /** @param status null without a complete answer */
    forwarded(status: number | null): void {
      if (status === null) {
        if (failedAt === null) logger.warn('requests to Qdrant fail; the lines of the requests have the causes')
        failedAt = now()
      } else if (failedAt !== null && now() - failedAt >= CALM_MS) {
        failedAt = null
        logger.info('Qdrant answers again')
      }
    },
  }
}
