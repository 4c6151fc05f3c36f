import { type StartTimer, systemTimer } from '../../pipeline/deadline.ts'

interface LaneOptions {
  /** Longest time that a caller waits, in milliseconds. */
  timeoutMs: number
  /** Asks whether work can be done again. */
  probe(): Promise<unknown>
  /** Called when the lane closes, with the reason, and with null when it opens again. */
  onChange(error: Error | null): void
  startTimer?: StartTimer
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** What came of a piece of work: `failed` too late or with an error, `skipped` while the lane is closed. */
export type LaneResult<Value> = { outcome: 'done'; value: Value } | { outcome: 'failed' | 'skipped' }

/**
 * Work of one sort for a store that can be away. The first failure closes the lane. While it is closed nothing is asked and nobody waits;
 * probes in the background open it again.
 */
export interface Lane {
  /** Never rejects. */
  run<Value>(work: () => Promise<Value>): Promise<LaneResult<Value>>
  /** Why the lane is closed; null while it is open. */
  readonly fault: Error | null
  /** Ends the probes. */
  end(): void
}

/** Milliseconds before a probe: the first, and the most. Each failure doubles them. */
const PAUSE_MS = { first: 100, most: 5_000 }
/** Work that was possible for so long begins with the first pause again. Before that, a store that comes and goes is asked more and more seldom. */
const CALM_MS = 60_000

export function createLane(options: LaneOptions): Lane {
  const { timeoutMs, probe, onChange, startTimer = systemTimer, now = () => performance.now() } = options
  let fault: Error | null = null
  let pauseMs = PAUSE_MS.first
  let openedAt = Number.NEGATIVE_INFINITY
  let ended = false
  let stopTimer = () => {}

  function close(error: Error): void {
    if (fault !== null || ended) return
    fault = error
    onChange(error)
    if (now() - openedAt > CALM_MS) pauseMs = PAUSE_MS.first
    probeLater()
  }

  function open(): void {
    fault = null
    openedAt = now()
    onChange(null)
  }

  function probeLater(): void {
    stopTimer = startTimer(pauseMs, () => {
      pauseMs = Math.min(PAUSE_MS.most, pauseMs * 2)
      inTime(probe, timeoutMs, startTimer).then(
        () => ended || open(),
        error => {
          fault = error
          if (!ended) probeLater()
        },
      )
    })
  }

  return {
    async run(work) {
      if (fault !== null || ended) return { outcome: 'skipped' }
      try {
        return { outcome: 'done', value: await inTime(work, timeoutMs, startTimer) }
      } catch (error) {
        close(error instanceof Error ? error : new Error(String(error)))
        return { outcome: 'failed' }
      }
    },
    get fault() {
      return fault
    },
    end() {
      ended = true
      stopTimer()
    },
  }
}

/** Rejects after the time. An answer that has come while this process was busy is taken before the time is looked at. */
function inTime<Value>(work: () => Promise<Value>, timeoutMs: number, startTimer: StartTimer): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${timeoutMs} ms`))
    const stopTimer = startTimer(timeoutMs, () => setImmediate(late))
    work()
      .then(resolve, reject)
      .finally(() => stopTimer())
  })
}
