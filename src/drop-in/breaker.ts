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

/** A pause of improving begins, or ends. */
export interface PauseChange {
  collection: string
  /** Null without tenants. */
  tenant: string | null
  paused: boolean
}

export interface Breakers {
  /** Null while improving the searches of this tenant in this collection is paused. An admitted attempt must be settled. */
  admit(collection: string, tenant: string | null): Attempt | null
}

/** Attempts in a row that passed before a pause begins. */
const MOST_PASSED = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Clients choose the names of collections, so the number of breakers is bounded. */
const MOST_BREAKERS = 1_000

const MEANINGS: Record<Verdict, GeneralVerdict> = { improved: 'good', passed: 'bad', unknown: 'unknown' }

/**
 * A circuit breaker for each tenant and collection. It pauses improving after some attempts in a row that only passed the client's own request
 * on. Tenants have their own, because some of those attempts depend on the points of the tenant: they can have no text.
 * @param onPause called when a pause begins or ends
 */
export function createBreakers({ now }: Pick<Clock, 'now'>, onPause: (change: PauseChange) => void): Breakers {
  const breakers = new LRUCache<string, { breaker: Breaker; subject: Omit<PauseChange, 'paused'> }>({
    max: MOST_BREAKERS,
    dispose: ({ breaker, subject }) => {
      if (breaker.paused) onPause({ ...subject, paused: false })
    },
  })
  const open = (subject: Omit<PauseChange, 'paused'>) =>
    new Breaker({
      now,
      mostBad: MOST_PASSED,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onChange: paused => onPause({ ...subject, paused }),
    })
  return {
    admit(collection, tenant) {
      const key = JSON.stringify([tenant, collection])
      const subject = { collection, tenant }
      const known = breakers.get(key)
      const breaker = known?.breaker ?? open(subject)
      if (known === undefined) breakers.set(key, { breaker, subject })
      const attempt = breaker.admit()
      return attempt && { settle: verdict => attempt.settle(MEANINGS[verdict]) }
    },
  }
}
