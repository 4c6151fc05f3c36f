/** Time as the drop-in route needs it. Tests replace it. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Milliseconds that the event loop of this thread has worked so far, without its waiting. */
  workedMs(): number
  /** Calls `run` once after some milliseconds, unless the returned function is called before. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  workedMs: () => performance.eventLoopUtilization().active,
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}
