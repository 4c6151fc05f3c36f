/** How many requests may run at a time, learned from those that ended. */
export interface Limit {
  readonly places: number
  readonly running: number
  /** Recent time of a request in its place, in milliseconds. */
  readonly recentMs: number
  /** Takes a place; null when none is free. The caller calls the result once, when the request has ended. */
  enter(): (() => void) | null
}

interface LimitOptions {
  /** A request is slow after this time, in milliseconds. */
  slowMs: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  /** Starts to measure; the result is the share of the time since then in which this process was busy, in [0,1]. */
  measureBusy?: () => () => number
}

/** Few enough that a busy machine of two cores answers the first burst, and more than a normal load needs. */
const FIRST = 16
const LEAST = 8
const MOST = 256
const LARGEST_DECREASE = 0.5
const BUSY = 0.7
/** Before the first request has ended. */
const FIRST_GUESS_MS = 250
const SMOOTHING = 0.1

/**
 * Additive increase, multiplicative decrease (by how much too slow the request was, at most by half). A request that is slow while
 * this process is busy means too many at a time. A slow one in a process that is not busy waited for another server, and fewer
 * requests would not make that server faster.
 */
export function createLimit({
  slowMs,
  now = () => performance.now(),
  measureBusy = busyEventLoop,
}: LimitOptions): Limit {
  let places = FIRST
  let running = 0
  let recentMs = FIRST_GUESS_MS
  let decreasedAt = Number.NEGATIVE_INFINITY

  function learn(startedAt: number, busy: number, inUse: boolean): void {
    const ms = now() - startedAt
    recentMs += SMOOTHING * (ms - recentMs)
    if (ms > slowMs && busy > BUSY) {
      // Requests that started before the last decrease say nothing about it.
      if (startedAt < decreasedAt) return
      places = Math.max(LEAST, places * Math.max(LARGEST_DECREASE, slowMs / ms))
      decreasedAt = now()
    } else if (inUse) {
      // About one place for each generation while the process is busy, and half as many again while it waits for others.
      places = Math.min(MOST, places + (busy > BUSY ? 1 / places : 1))
    }
  }

  return {
    get places() {
      return Math.floor(places)
    },
    get running() {
      return running
    },
    get recentMs() {
      return recentMs
    },
    enter() {
      if (running >= Math.floor(places)) return null
      running++
      const startedAt = now()
      const busy = measureBusy()
      return () => {
        const inUse = running * 2 >= places
        running--
        learn(startedAt, busy(), inUse)
      }
    },
  }
}

function busyEventLoop(): () => number {
  const start = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(start).utilization
}
