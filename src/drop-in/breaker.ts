import { LRUCache } from 'lru-cache'
import { type Attempt, Breaker } from '../core/work/breaker.ts'
import { quietTimer, type StartTimer } from '../pipeline/deadline.ts'
import type { Clock } from './clock.ts'

/** A pause of improving begins, or ends. */
export interface PauseChange {
  collection: string
  /** Null without tenants. */
  tenant: string | null
  paused: boolean
  /** Milliseconds that Qdrant has asked to wait, where that begins the pause. */
  askedMs?: number
}

type Subject = Pick<PauseChange, 'collection' | 'tenant'>

export interface Breakers {
  /**
   * Null while improving the searches of this tenant in this collection is paused. An admitted attempt must be settled: `good` when it was
   * improved, `bad` when the client's own request was answered well instead, `unknown` when Qdrant refused both or the client left.
   */
  admit(collection: string, tenant: string | null): Attempt | null
  /** Pauses improving for at least so many milliseconds, because Qdrant has asked to wait. */
  pauseFor(collection: string, tenant: string | null, milliseconds: number): void
}

interface Known {
  breaker: Breaker
  subject: Subject
  askedAt: number
  /** Attempts of before can still end: nobody would tell that a pause ends which they begin. */
  isForgotten: boolean
}

/** Attempts in a row that passed before a pause begins. */
const MOST_PASSED = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Clients choose the names of collections, so the number of breakers is bounded. */
const MOST_BREAKERS = 1_000
/** A pause during which nobody has searched for this long is forgotten: it says nothing about the collection any more. In milliseconds. */
const IDLE_MS = 300_000
const LOOK_MS = 60_000

/**
 * A circuit breaker for each tenant and collection. It pauses improving after some attempts in a row that only passed the client's own request
 * on, and when Qdrant asks to wait. Tenants have their own, because some of those attempts depend on the points of the tenant: they can have no text.
 * @param onPause called when a pause begins or ends
 */
export function createBreakers(
  { now }: Pick<Clock, 'now'>,
  onPause: (change: PauseChange) => void,
  startTimer: StartTimer = quietTimer,
): Breakers {
  const breakers = new LRUCache<string, Known>({
    max: MOST_BREAKERS,
    dispose: known => {
      known.isForgotten = true
      if (known.breaker.paused) onPause({ ...known.subject, paused: false })
    },
  })
  const open = (subject: Subject): Known => {
    const breaker = new Breaker({
      now,
      mostBad: MOST_PASSED,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onChange: (paused, askedMs) => {
        if (known.isForgotten) return
        if (paused) lookLater()
        onPause({ ...subject, paused, ...(askedMs !== undefined && { askedMs }) })
      },
    })
    const known: Known = { breaker, subject, askedAt: 0, isForgotten: false }
    return known
  }
  let isLookPlanned = false
  function lookLater(): void {
    if (isLookPlanned) return
    isLookPlanned = true
    startTimer(LOOK_MS, () => {
      isLookPlanned = false
      const paused = [...breakers.entries()].filter(([, { breaker }]) => breaker.paused)
      const idle = paused.filter(([, { askedAt }]) => now() - askedAt >= IDLE_MS)
      for (const [key] of idle) breakers.delete(key)
      if (idle.length < paused.length) lookLater()
    })
  }
  function breakerOf(collection: string, tenant: string | null): Breaker {
    const key = JSON.stringify([tenant, collection])
    const known = breakers.get(key) ?? open({ collection, tenant })
    known.askedAt = now()
    if (!breakers.has(key)) breakers.set(key, known)
    return known.breaker
  }
  return {
    admit: (collection, tenant) => breakerOf(collection, tenant).admit(),
    pauseFor: (collection, tenant, milliseconds) => breakerOf(collection, tenant).pauseFor(milliseconds),
  }
}
