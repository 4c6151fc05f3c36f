import { Breaker, type Verdict } from '../../../core/work/breaker.ts'
import type { NodeOutcome } from '../../../observe/metrics/rerank-nodes.ts'
import { quantileOfSorted } from '../../../statistics/sample.ts'

/** Times of calls that are kept. */
const RECENT = 64
/** Calls before the times of a node say something about the next one. */
const LEAST_KNOWN = 8
/** Wait before a hedge while little is known, and the least wait, in milliseconds. */
const UNKNOWN_DELAY_MS = 200
const LEAST_DELAY_MS = 20
/** A call is overdue when it took this many times the wait before a hedge. A client with a very short deadline must not take nodes out. */
const OVERDUE = 2
/** Bad calls in a row after which a node is left out. */
const MOST_BAD = 3
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** How long a busy node is left out, in milliseconds, whatever its `retry-after` says. */
const BUSY_MS = { least: 50, most: 500 }

interface NodeOptions {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Whether there is no other node. Such a node is left out after some bad calls only. */
  alone: boolean
  /** Called when the node is left out (true) and when it is used again. A short pause because it is busy is not told. */
  onLeftOut(leftOut: boolean): void
}

/** One call of a node that runs. */
export interface NodeCall {
  readonly node: FleetNode
  /** Whether the node was left out when it began. */
  readonly isProbe: boolean
  /** Only the first outcome counts. @param retryAfterMs what a busy node asks for */
  end(outcome: NodeOutcome, retryAfterMs?: number): void
}

export class FleetNode {
  readonly url: string
  readonly name: string
  /** Number of calls that run. */
  outstanding = 0
  readonly #options: NodeOptions
  readonly #breaker: Breaker
  readonly #recentMs: number[] = []
  #calls = 0
  #busyUntil = 0
  /** Whether there are reasons to leave it out other than that it is slow. */
  #unfit = false

  constructor(url: string, name: string, options: NodeOptions) {
    this.url = url
    this.name = name
    this.#options = options
    const { now, onLeftOut: onChange } = options
    this.#breaker = new Breaker({
      now,
      mostBad: MOST_BAD,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onChange,
    })
  }

  /** Left out, or waiting for a probe that is answered. */
  get leftOut(): boolean {
    return this.#breaker.paused
  }

  /** Whether it may be called now. A node that is left out may when its pause is over: that call is its probe. */
  get usable(): boolean {
    return this.#breaker.admits && !this.#busy
  }

  /** Whether it may be called although it is left out, because no other node can: it is only slow. */
  get lastResort(): boolean {
    return this.leftOut && !this.usable && !this.#unfit && !this.#busy
  }

  get #busy(): boolean {
    return this.#options.now() < this.#busyUntil
  }

  /** Milliseconds after which a call takes longer than 95 % of the recent ones. */
  get hedgeDelayMs(): number {
    if (this.#recentMs.length < LEAST_KNOWN) return UNKNOWN_DELAY_MS
    const sorted = [...this.#recentMs].sort((one, other) => one - other)
    return Math.max(LEAST_DELAY_MS, quantileOfSorted(sorted, 0.95))
  }

  /** Null when it is neither usable nor a last resort. The pause of a last resort goes on, however the call ends. */
  begin(): NodeCall | null {
    const isProbe = this.leftOut
    const attempt = this.usable ? this.#breaker.admit() : null
    if (attempt === null && !this.lastResort) return null
    const from = this.#options.now()
    this.outstanding++
    let open = true
    return {
      node: this,
      isProbe,
      end: (outcome, retryAfterMs) => {
        if (!open) return
        open = false
        this.outstanding--
        const tookMs = this.#options.now() - from
        const late = outcome === 'overdue' && tookMs >= OVERDUE * this.hedgeDelayMs
        this.#note(outcome, tookMs, retryAfterMs)
        attempt?.settle(this.#verdict(outcome, late))
        // A deadline that it misses again is wasted, so it is not tried until it has answered a probe.
        if (outcome === 'failed' || outcome === 'broken' || (late && isProbe)) this.#unfit = true
        else if (outcome === 'answered' && !this.leftOut) this.#unfit = false
      },
    }
  }

  #note(outcome: NodeOutcome, tookMs: number, retryAfterMs = 0): void {
    // The deadline is no time of the node: were it kept, an endpoint that hangs would look as slow as it always was.
    if (outcome === 'answered' || outcome === 'overtaken') this.#recentMs[this.#calls++ % RECENT] = tookMs
    if (outcome === 'busy')
      this.#busyUntil = this.#options.now() + Math.min(Math.max(retryAfterMs, BUSY_MS.least), BUSY_MS.most)
  }

  #verdict(outcome: NodeOutcome, late: boolean): Verdict {
    if (outcome === 'answered') return 'good'
    if (outcome === 'broken') return this.#options.alone ? 'bad' : 'broken'
    return outcome === 'failed' || outcome === 'overtaken' || late ? 'bad' : 'unknown'
  }
}
