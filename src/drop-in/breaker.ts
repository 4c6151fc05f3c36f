import { LRUCache } from 'lru-cache'
import { Breaker, type Verdict as GeneralVerdict } from '../core/work/breaker.ts'
import type { Clock } from './clock.ts'

/**
 * What one attempt says about improving the searches of its collection: it was improved; the client's own request was answered well
 * instead; or nothing, because Qdrant refused both or the client left.
 */
export type Verdict = 'improved' | 'passed' | 'unknown'

/** One admitted attempt. Only the first verdict counts. */
export interface Attempt {
  settle(verdict: Verdict): void
}

export interface Breakers {
  /** Null while improving the searches of this collection is paused. An admitted attempt must be settled. */
  admit(collection: string): Attempt | null
}

/** Attempts in a row that passed before a pause begins. */
const MOST_PASSED = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Clients choose the names of collections, so their number is bounded. */
const MOST_COLLECTIONS = 1_000

const MEANINGS: Record<Verdict, GeneralVerdict> = { improved: 'good', passed: 'bad', unknown: 'unknown' }

/**
 * A circuit breaker for each collection. It pauses improving after some attempts in a row that only passed the client's own request on.
 * @param onPause called when a pause begins or ends
 */
export function createBreakers(
  { now }: Pick<Clock, 'now'>,
  onPause: (change: { collection: string; paused: boolean }) => void,
): Breakers {
  const breakers = new LRUCache<string, Breaker>({
    max: MOST_COLLECTIONS,
    dispose: (breaker, collection) => {
      if (breaker.paused) onPause({ collection, paused: false })
    },
  })
  const open = (collection: string) =>
    new Breaker({
      now,
      mostBad: MOST_PASSED,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onChange: paused => onPause({ collection, paused }),
    })
  return {
    admit(collection) {
      const known = breakers.get(collection)
      const breaker = known ?? open(collection)
      if (known === undefined) breakers.set(collection, breaker)
      const attempt = breaker.admit()
      return attempt && { settle: verdict => attempt.settle(MEANINGS[verdict]) }
    },
  }
}
