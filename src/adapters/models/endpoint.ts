import { setTimeout as pause } from 'node:timers/promises'
import { eitherSignal } from '../../core/either-signal.ts'
import { messageOf } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/vocabulary.ts'

/** A resource that may appear later. Read `value` for each use. */
export interface Opened<Value> {
  readonly value: Value | null
  /** Why the value is missing; null when it is there. */
  readonly reason: string | null
  /** Ends the attempts. The caller closes the value. */
  stop(): void
}

/** Longest time of one attempt, in milliseconds. */
const ATTEMPT_MS = 10_000
/** Pause after the first failed attempt, in milliseconds. It doubles after each. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 60_000

/**
 * Opens something behind an endpoint, and tries again in the background until it is there. Resolves when it is there or has failed
 * once.
 * @param waitMs longest time that the caller waits for that, in milliseconds
 * @param onOpened called when the value appears after this function has resolved
 */
export async function openInBackground<Value>(
  open: (signal: AbortSignal) => Promise<Value>,
  waitMs: number,
  onOpened: () => void = () => {},
): Promise<Opened<Value>> {
  const stopped = new AbortController()
  let value: Value | null = null
  let reason: string | null = `no answer within ${waitMs} ms; stowage keeps trying`
  let waiting = true

  const attempt = async () => {
    const { signal, dispose } = eitherSignal(stopped.signal, AbortSignal.timeout(ATTEMPT_MS))
    try {
      value = await open(signal)
      reason = null
      if (!waiting) onOpened()
    } catch (error) {
      reason = messageOf(error)
    } finally {
      dispose()
    }
  }
  const keepTrying = async () => {
    for (let pauseMs = FIRST_PAUSE_MS; value === null; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
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
