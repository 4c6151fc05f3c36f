import { StowageError } from '../../core/errors.ts'
import { type Deadline, QUEUE_SHARE } from '../deadline.ts'
import type { Limit } from './limit.ts'

/** Lets as many requests run as can be in time. The others wait in order, or are told to come again. */
export interface Admission {
  /** Whether requests wait for a place. Running ones should then do without the steps that cost most. */
  readonly crowded: boolean
  /**
   * Runs work in a free place, with the time that is left.
   * @throws StowageError `overloaded` with `retry_after` when the place would come too late, or came too late
   */
  run<Result>(deadline: Deadline, work: (rest: Deadline) => Promise<Result>): Promise<Result>
}

export function createAdmission(limit: Limit): Admission {
  const waiting = new Set<(leave: () => void) => void>()

  const expectedWaitMs = () => ((waiting.size + 1) * limit.recentMs) / limit.places

  function startWaiting(): void {
    for (const start of waiting) {
      const leave = limit.enter()
      if (leave === null) return
      waiting.delete(start)
      start(leave)
    }
  }

  async function enter(deadline: Deadline): Promise<() => void> {
    const leave = waiting.size === 0 ? limit.enter() : null
    if (leave !== null) return leave
    const latest = deadline.part(QUEUE_SHARE)
    try {
      if (expectedWaitMs() > latest.remainingMs()) throw overloaded(expectedWaitMs())
      return await new Promise((resolve, reject) => {
        waiting.add(resolve)
        const giveUp = () => {
          if (waiting.delete(resolve)) reject(overloaded(expectedWaitMs()))
        }
        latest.signal.addEventListener('abort', giveUp, { once: true })
      })
    } finally {
      latest.dispose()
    }
  }

  return {
    get crowded() {
      return waiting.size > 0
    },
    async run(deadline, work) {
      const leave = await enter(deadline)
      // The shares of the steps count from here.
      const rest = deadline.rest()
      try {
        return await work(rest)
      } finally {
        rest.dispose()
        leave()
        startWaiting()
      }
    },
  }
}

function overloaded(waitMs: number): StowageError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new StowageError('overloaded', `Too many requests are waiting. Try again after ${seconds} s`, {
    details: { retry_after: seconds },
  })
}
