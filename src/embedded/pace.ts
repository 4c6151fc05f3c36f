import { setImmediate } from 'node:timers/promises'
import { EngineError } from './errors.ts'

/** Milliseconds of work between two rests. */
const SLICE_MS = 8
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 8

interface PaceOptions {
  /** Ends the work when the client has gone. */
  signal?: AbortSignal | undefined
  /** Seconds the work may take; the `timeout` of a request. */
  timeout?: number | undefined
  /** Milliseconds that only grow. */
  now?: () => number
}

/**
 * Lets other requests run during long work. A loop asks `isDue` at each step and, when it is, awaits `rest`:
 * `if (pace.isDue()) await pace.rest()`.
 */
export class Pace {
  /** How often the work rested. */
  rests = 0
  private readonly signal: AbortSignal | undefined
  private readonly timeout: number | undefined
  private readonly now: () => number
  private readonly started: number
  private sliceStarted: number
  private steps = 0

  constructor({ signal, timeout, now = () => performance.now() }: PaceOptions = {}) {
    this.signal = signal
    this.timeout = timeout
    this.now = now
    this.started = now()
    this.sliceStarted = this.started
  }

  isDue(): boolean {
    if (++this.steps < STEPS_PER_LOOK) return false
    this.steps = 0
    return this.now() - this.sliceStarted >= SLICE_MS
  }

  /** @throws EngineError 408 when the time is up, 499 when the client has gone */
  async rest(): Promise<void> {
    this.rests++
    await setImmediate()
    if (this.signal?.aborted) throw new EngineError(499, 'Cancelled: the client has closed the connection')
    this.sliceStarted = this.now()
    if (this.timeout !== undefined && this.sliceStarted - this.started > this.timeout * 1000)
      throw new EngineError(408, `Timeout error: the operation timed out after ${this.timeout}s`)
  }
}
