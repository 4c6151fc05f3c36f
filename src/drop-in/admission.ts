import type { Clock } from './clock.ts'

/** First guess of the work of one attempt, in milliseconds of the event loop. */
const FIRST_GUESS_MS = 10
/** Weight of the latest attempt in the moving average of the work. */
const SMOOTHING = 0.2

export interface Admission {
  /** Admits an attempt. The returned function ends it and takes its work in milliseconds; 0 when it chose no points. Null: no room. */
  enter(): ((workedMs: number) => void) | null
}

/**
 * Bounds the attempts in flight. Their answers from Qdrant can arrive all at once, and choosing points runs on one event loop. The last of
 * them must not wait longer than `roomMs`, so the bound is the room divided by the usual work of one attempt.
 * @param roomMs one attempt is always admitted, also when it takes longer
 */
export function createAdmission(roomMs: number): Admission {
  let inFlight = 0
  let workMs = FIRST_GUESS_MS
  return {
    enter() {
      if (inFlight > 0 && (inFlight + 1) * workMs > roomMs) return null
      inFlight += 1
      return workedMs => {
        inFlight -= 1
        if (workedMs > 0) workMs += SMOOTHING * (workedMs - workMs)
      }
    },
  }
}

/** Measures the work of one attempt: the time that the event loop worked, without the time in which the attempt only waited. */
export class WorkMeter {
  readonly #clock: Pick<Clock, 'workedMs'>
  #workedMs = 0
  #since: number | null = null

  constructor(clock: Pick<Clock, 'workedMs'>) {
    this.#clock = clock
  }

  start(): void {
    this.#since ??= this.#clock.workedMs()
  }

  stop(): void {
    if (this.#since !== null) this.#workedMs += this.#clock.workedMs() - this.#since
    this.#since = null
  }

  /** Waits for a promise without counting the time. */
  async pause<Value>(waiting: Promise<Value>): Promise<Value> {
    this.stop()
    return waiting.finally(() => this.start())
  }

  get workedMs(): number {
    return this.#workedMs
  }
}
