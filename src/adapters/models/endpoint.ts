import { setTimeout as pause } from 'node:timers/promises'
import { eitherSignal } from '../../core/either-signal.ts'
import type { ErrorCode } from '../../core/vocabulary.ts'

/** A resource that may appear later. Read `value` for each use. */
export interface Opened<Value> {
  readonly value: Value | null
  /** Why the value is missing; null when it is there. */
  readonly reason: string | null
  /** Ends the attempts. The caller closes the value. */
  stop(): void
}

export interface OpeningTimes {
  /** Longest time that the caller waits for the first attempts, in milliseconds. */
  waitMs: number
  /** Longest time of one attempt, in milliseconds; default 10 s. */
  attemptMs?: number
  /** Pause after the first failed attempt, in milliseconds; default 0.5 s. It doubles after each. */
  firstPauseMs?: number
  /** Longest pause, in milliseconds; default 60 s. */
  longestPauseMs?: number
}

/**
 * Opens something behind an endpoint, and tries again in the background until it is there. Resolves when it is there or has failed
 * once, at the latest after `waitMs`.
 * @param onOpened called when the value appears after this function has resolved
 */
export async function openInBackground<Value>(
  open: (signal: AbortSignal) => Promise<Value>,
  { waitMs, attemptMs = 10_000, firstPauseMs = 500, longestPauseMs = 60_000 }: OpeningTimes,
  onOpened: () => void = () => {},
): Promise<Opened<Value>> {
  const stopped = new AbortController()
  let value: Value | null = null
  let reason: string | null = `no answer within ${waitMs} ms; stowage keeps trying`
  let waiting = true

  const attempt = async () => {
    const { signal, dispose } = eitherSignal(stopped.signal, AbortSignal.timeout(attemptMs))
    try {
      value = await open(signal)
      reason = null
      if (!waiting) onOpened()
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
    } finally {
      dispose()
    }
  }
  const keepTrying = async () => {
    for (let pauseMs = firstPauseMs; value === null; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await pause(pauseMs, null, { signal: stopped.signal, ref: false })
      await attempt()
    }
  }

  const first = attempt()
  void first.then(keepTrying).catch(() => {})
  await Promise.race([first, pause(waitMs, null, { ref: false })])
  waiting = false
  return {
    get value() {
      return value
    },
    get reason() {
      return reason
    },
    stop: () => stopped.abort(),
  }
}

/** The error code for the status of a model endpoint. */
export function busyCode(status: number): ErrorCode {
  return isBusy(status) ? 'upstream_unavailable' : 'upstream_error'
}

/** Whether a status says that a model endpoint has too much work. */
export function isBusy(status: number): boolean {
  return status === 429 || status === 503
}
