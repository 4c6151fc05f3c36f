import { Refusals, refusesForNow } from '../qdrant/refusals.ts'
import type { Breakers } from './breaker.ts'

/** Bounds of a pause, in milliseconds, whatever Qdrant asks for. */
const LEAST_MS = 1_000
const LONGEST_MS = 300_000
/** A pause when Qdrant does not say how long, in milliseconds. */
const UNKNOWN_MS = 10_000

/** What is known of a limit on the reads of one collection, for one request. */
export interface ReadLimit {
  /** Whether the search of the client is the only read that may be sent. */
  readonly isKnown: boolean
  /** Takes the status of an answer of Qdrant. @param retryAfter the header, null without one */
  notice(status: number | null, retryAfter?: string | null): void
}

/**
 * Limits on reads, as Qdrant shows them by refusing one (429). Improving then pauses for as long as Qdrant asks. For ten minutes nothing is read beside the searches
 * of this collection: Qdrant counts an improved search as the client's own one, and only what is read beside it uses up the limit.
 */
export function createReadLimits(
  breakers: Pick<Breakers, 'pauseFor'>,
): (collection: string, tenant: string | null) => ReadLimit {
  const limited = new Refusals()
  return (collection, tenant) => ({
    get isKnown() {
      return limited.has(collection)
    },
    notice(status, retryAfter = null) {
      if (!refusesForNow(status)) return
      limited.add(collection)
      breakers.pauseFor(collection, tenant, pauseMs(retryAfter))
    },
  })
}

/** Milliseconds to wait. @param retryAfter seconds, as in the header */
function pauseMs(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1_000, LEAST_MS), LONGEST_MS) : UNKNOWN_MS
}
