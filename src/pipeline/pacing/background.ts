import { setImmediate } from 'node:timers/promises'
import type { Reranker } from '../../core/ports.ts'
import { type Deadline, type StartTimer, startDeadline, systemTimer } from '../deadline.ts'
import { isCrowded } from './turns.ts'

/** Requests of clients that are ranked or packed now. */
let answering = 0
const waiting = new Set<() => void>()

/** Says that a request of a client works from now on. Call the result when it has ended. */
export function beginAnswering(): () => void {
  answering++
  return () => {
    answering--
    if (answering > 0) return
    for (const wake of waiting) wake()
  }
}

/** Passages of one call to the reranker. The workers take no more from a background run before they look for requests of clients. */
const PASSAGES_AT_A_TIME = 4

/** A timer looks no more often at a clock that may stand still. */
const LEAST_TIMER_MS = 5

/**
 * The pace of a run that nobody waits for. It works only while no request of a client is ranked or packed, and none waits for its turn. Its
 * clock stands still while it waits, so that its times and its deadlines count its own work.
 */
export class Background {
  readonly signal: AbortSignal
  readonly #now: () => number
  readonly #startTimer: StartTimer
  #waitedMs = 0
  #waitingSince: number | null = null

  /**
   * @param signal ends the run
   * @param options `now` in milliseconds of a monotonic clock
   */
  constructor(
    signal: AbortSignal,
    { now = () => performance.now(), startTimer = systemTimer }: { now?: () => number; startTimer?: StartTimer } = {},
  ) {
    this.signal = signal
    this.#now = now
    this.#startTimer = startTimer
  }

  /** Milliseconds of a clock that stands still while the run waits. */
  readonly now = (): number => (this.#waitingSince ?? this.#now()) - this.#waitedMs

  /** Milliseconds that the run has waited for requests of clients. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waitingSince === null ? 0 : this.#now() - this.#waitingSince)
  }

  /** Calls a function after so many milliseconds of this clock. */
  readonly after: StartTimer = (milliseconds, run) => {
    const at = this.now() + milliseconds
    let stop = () => {}
    const wait = () => {
      const left = at - this.now()
      if (left <= 0) run()
      else stop = this.#startTimer(Math.max(left, LEAST_TIMER_MS), wait)
    }
    stop = this.#startTimer(milliseconds, wait)
    return () => stop()
  }

  deadline(milliseconds: number): Deadline {
    return startDeadline(this.signal, milliseconds, this.after, this.now)
  }

  /** Gives the event loop a turn, and waits until no request of a client works. Rejects when the signal aborts. */
  readonly turn = async (): Promise<void> => {
    this.#waitingSince = this.#now()
    try {
      do {
        this.signal.throwIfAborted()
        await setImmediate()
        if (answering > 0 && !this.signal.aborted) await this.#nextWake()
      } while (answering > 0 || isCrowded())
      this.signal.throwIfAborted()
    } finally {
      this.#waitedMs += this.#now() - this.#waitingSince
      this.#waitingSince = null
    }
  }

  /** The reranker, a few passages at a time when it has workers in this process. */
  rerankerOf(reranker: Reranker): Reranker {
    if (reranker.expectedWaitMs === undefined) return reranker
    return {
      ...reranker,
      rerank: async request => {
        const scores: (number | null)[] = []
        let cached = 0
        for (let from = 0; from < request.passages.length; from += PASSAGES_AT_A_TIME) {
          await this.turn()
          const passages = request.passages.slice(from, from + PASSAGES_AT_A_TIME)
          if (request.signal.aborted) {
            scores.push(...passages.map(() => null))
            continue
          }
          const part = await reranker.rerank({ ...request, passages })
          scores.push(...part.scores)
          cached += part.cached
        }
        return { scores, cached }
      },
    }
  }

  #nextWake(): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        waiting.delete(wake)
        this.signal.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      this.signal.addEventListener('abort', wake)
    })
  }
}
