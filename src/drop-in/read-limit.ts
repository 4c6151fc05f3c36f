import { Refusals, refusesForNow } from '../qdrant/refusals.ts'
import type { Breakers } from './breaker.ts'

/** Bounds of a pause, in milliseconds, whatever Qdrant asks for. */
const LEAST_MS = 1_000
const LONGEST_MS = 300_000
/** A pause when Qdrant does not say how long, in milliseconds. */
const UNKNOWN_MS = 10_000

/** Whether Qdrant says that it limits the reads of a collection; null when it does not say, or not yet. Never rejects. */
export type DeclaredLimit = (collection: string, apiKey: string | null) => Promise<boolean | null>

/** What is known of a limit on the reads of one collection, for one request. */
export interface ReadLimit {
  /** Whether more than the search of the client may be read: only when Qdrant was asked, and there is no limit. */
  readonly allowsMore: boolean
  /** Whether a limit is known. */
  readonly isKnown: boolean
  /** Asks Qdrant whether there is a limit. Never rejects. */
  learn(apiKey: string | null): Promise<void>
  /** Takes the status of an answer of Qdrant. @param retryAfter the header, null without one */
  notice(status: number | null, retryAfter?: string | null): void
}

/**
 * Limits on reads, as Qdrant declares them, or shows them by refusing a read (429). Improving pauses after a 429 for as long as Qdrant asks. For ten minutes nothing is
 * read beside the searches of this tenant in this collection: Qdrant counts an improved search as the client's own one, and only what is read beside it uses up the limit.
 * A 429 is no matter of other tenants, because a server before Qdrant can count each key by itself. For a limit that the collection has, each of them asks.
 */
export function createReadLimits(
  breakers: Pick<Breakers, 'pauseFor'>,
  isDeclared: DeclaredLimit = async () => false,
): (collection: string, tenant: string | null) => ReadLimit {
  const limited = new Refusals()
  return (collection, tenant) => {
    const subject = JSON.stringify([tenant, collection])
    let isUnlimited = false
    return {
      get allowsMore() {
        return isUnlimited && !limited.has(subject)
      },
      get isKnown() {
        return limited.has(subject)
      },
      async learn(apiKey) {
        if (limited.has(subject)) return
        const declared = await isDeclared(collection, apiKey)
        if (declared) limited.add(subject)
        isUnlimited = declared === false
      },
      notice(status, retryAfter = null) {
        if (!refusesForNow(status)) return
        limited.add(subject)
        breakers.pauseFor(collection, tenant, pauseMs(retryAfter))
      },
    }
  }
}

/** Milliseconds to wait. @param retryAfter seconds, as in the header */
function pauseMs(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1_000, LEAST_MS), LONGEST_MS) : UNKNOWN_MS
}
