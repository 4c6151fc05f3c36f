import { type StartTimer, systemTimer } from '../pipeline/deadline.ts'

/** Time as the drop-in route needs it. Tests replace it. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Milliseconds that the event loop of this thread has worked so far, without its waiting. */
  workedMs(): number
  after: StartTimer
}

export const systemClock: Clock = {
  now: () => performance.now(),
  workedMs: () => performance.eventLoopUtilization().active,
  after: systemTimer,
}
