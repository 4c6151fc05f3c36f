import { StowageError } from '../../core/errors.ts'
import { FairQueue } from '../../core/work/fair-queue.ts'
import { type Deadline, QUEUE_SHARE } from '../deadline.ts'
import type { Limit } from './limit.ts'

/** Lets as many requests run as can be in time. The others wait, tenants in turns, or are told to come again. */
export interface Admission {
  /** Whether requests of a tenant wait for a place. Its running ones should then do without the steps that cost most. */
  isCrowded(tenant: string | null): boolean
  /**
   * Runs work in a free place, with the time that is left.
   * @throws StowageError `overloaded` with `retry_after` when the place would come too late, or came too late
   */
  run<Result>(tenant: string | null, deadline: Deadline, work: (rest: Deadline) => Promise<Result>): Promise<Result>
}

/** @param onWaiting called with the number of waiting requests whenever it changes */
export function createAdmission(limit: Limit, onWaiting: (length: number) => void = () => {}): Admission {
  const waiting = new FairQueue<(leave: () => void) => void>()

  const expectedWaitMs = (tenant: string | null) => ((waiting.ahead(tenant) + 1) * limit.recentMs) / limit.places

  function startWaiting(): void {
    while (waiting.size > 0) {
      const leave = limit.enter()
      if (leave === null) return
      waiting.take()?.(leave)
      onWaiting(waiting.size)
    }
  }

  async function enter(tenant: string | null, deadline: Deadline): Promise<() => void> {
    const leave = waiting.size === 0 ? limit.enter() : null
    if (leave !== null) return leave
    const latest = deadline.part(QUEUE_SHARE)
    try {
      const waitMs = expectedWaitMs(tenant)
      if (latest.signal.aborted || waitMs > latest.remainingMs()) throw overloaded(waitMs)
      return await new Promise((resolve, reject) => {
        waiting.push(tenant, resolve)
        onWaiting(waiting.size)
        const giveUp = () => {
          if (!waiting.delete(tenant, resolve)) return
          onWaiting(waiting.size)
          reject(overloaded(expectedWaitMs(tenant)))
        }
        latest.signal.addEventListener('abort', giveUp, { once: true })
      })
    } finally {
      latest.dispose()
    }
  }

  return {
    isCrowded: tenant => waiting.sizeOf(tenant) > 0,
    async run(tenant, deadline, work) {
      const leave = await enter(tenant, deadline)
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
