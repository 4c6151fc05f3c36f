import { LRUCache } from 'lru-cache'
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
/** The first pause. It doubles with every probe that passes. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Clients choose the names of collections, so their number is bounded. */
const MOST_COLLECTIONS = 1_000

/**
 * A circuit breaker for each collection. It pauses improving after some attempts in a row that only passed the client's own request
 * on. After the pause one attempt at a time is admitted as a probe; an improved probe ends the pause.
 * @param onPause called when a pause begins or ends
 */
export function createBreakers(
  clock: Pick<Clock, 'now'>,
  onPause: (change: { collection: string; paused: boolean }) => void,
): Breakers {
  const breakers = new LRUCache<string, Breaker>({
    max: MOST_COLLECTIONS,
    dispose: (breaker, collection) => {
      if (breaker.paused) onPause({ collection, paused: false })
    },
  })
  return {
    admit(collection) {
      const known = breakers.get(collection)
      const breaker = known ?? new Breaker(clock, paused => onPause({ collection, paused }))
      if (known === undefined) breakers.set(collection, breaker)
      return breaker.admit()
    },
  }
}

class Breaker {
  readonly #clock: Pick<Clock, 'now'>
  readonly #onChange: (paused: boolean) => void
  #passedInARow = 0
  /** Milliseconds; 0 without a pause. */
  #pauseMs = 0
  #pausedUntil = 0
  #probe: Attempt | null = null

  constructor(clock: Pick<Clock, 'now'>, onChange: (paused: boolean) => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  get paused(): boolean {
    return this.#pauseMs > 0
  }

  admit(): Attempt | null {
    if (this.paused && (this.#probe !== null || this.#clock.now() < this.#pausedUntil)) return null
    let open = true
    const attempt: Attempt = {
      settle: verdict => {
        if (!open) return
        open = false
        this.#settle(attempt, verdict)
      },
    }
    if (this.paused) this.#probe = attempt
    return attempt
  }

  #settle(attempt: Attempt, verdict: Verdict): void {
    const wasProbe = this.#probe === attempt
    if (wasProbe) this.#probe = null
    // Attempts from before a pause say nothing about the time after it.
    if (verdict === 'unknown' || (this.paused && !wasProbe)) return
    if (verdict === 'improved') this.#resume()
    else if (wasProbe || ++this.#passedInARow >= MOST_PASSED) this.#pause()
  }

  #pause(): void {
    const began = !this.paused
    this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2), LONGEST_PAUSE_MS)
    this.#pausedUntil = this.#clock.now() + this.#pauseMs
    if (began) this.#onChange(true)
  }

  #resume(): void {
    this.#passedInARow = 0
    if (!this.paused) return
    this.#pauseMs = 0
    this.#onChange(false)
  }
}
