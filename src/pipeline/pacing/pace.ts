import { type Steps, TimeUp } from '../../core/steps.ts'
import type { Background } from './background.ts'
import { countWork, isCrowded, nextTurn } from './turns.ts'

/** Longest work without a turn of the event loop, in milliseconds. A step takes a few more. */
const SLICE_MS = 8

/** Time that a step of ranking has after the deadline, in milliseconds: enough for usual passages. */
export const RANKING_GRACE_MS = 20
/** The same for packing: a finished ranking is packed, even if it comes late. */
export const PACKING_GRACE_MS = 100

/** Runs the steps of one request: it gives the event loop a turn every few milliseconds, and ends steps at the deadline. */
export class Pace {
  readonly #signal: AbortSignal
  readonly #tenant: string | null
  readonly #now: () => number
  readonly #background: Background | null
  #sliceStart = Number.NEGATIVE_INFINITY

  /**
   * @param signal aborts at the deadline
   * @param options `tenant` whose turn it is; `now` in milliseconds of a monotonic clock; `background` for a run that nobody waits for
   */
  constructor(
    signal: AbortSignal,
    options: { tenant?: string | null; now?: () => number; background?: Background } = {},
  ) {
    this.#signal = signal
    this.#tenant = options.tenant ?? null
    this.#now = options.now ?? (() => performance.now())
    this.#background = options.background ?? null
  }

  /**
   * Runs steps to their result. After the deadline `TimeUp` is thrown into them, once, but not before they have had `graceMs`.
   * @throws TimeUp when the steps do not catch it
   */
  async run<Result>(steps: Steps<Result>, graceMs: number): Promise<Result> {
    if (this.#background !== null || isCrowded()) await this.#takeTurn()
    const start = this.#now()
    let isTold = false
    let countedTo = start
    if (start - this.#sliceStart > SLICE_MS) this.#sliceStart = start
    try {
      for (let step = steps.next(); ; ) {
        if (step.done) return step.value
        const time = this.#now()
        if (!isTold && this.#signal.aborted && time - start >= graceMs) {
          isTold = true
          step = steps.throw(new TimeUp())
        } else {
          if (time - this.#sliceStart >= SLICE_MS) {
            this.#count(time - countedTo)
            await this.#takeTurn()
            countedTo = this.#sliceStart
          }
          step = steps.next()
        }
      }
    } finally {
      this.#count(this.#now() - countedTo)
    }
  }

  async #takeTurn(): Promise<void> {
    await (this.#background === null ? nextTurn(this.#tenant) : this.#background.turn())
    this.#sliceStart = this.#now()
  }

  /** Work in the background costs its tenant no turn. */
  #count(ms: number): void {
    if (this.#background === null) countWork(this.#tenant, ms)
  }
}
