export interface Deadline {
  signal: AbortSignal
  /** Frees the timer. */
  dispose(): void
}

/** Calls a function once after some milliseconds, unless the returned function is called before. */
export type StartTimer = (milliseconds: number, run: () => void) => () => void

export const systemTimer: StartTimer = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

/** A signal that aborts with its parent or after some milliseconds, whichever is first. */
export function startDeadline(
  parent: AbortSignal,
  milliseconds: number,
  startTimer: StartTimer = systemTimer,
): Deadline {
  const controller = new AbortController()
  const stop = () => controller.abort(parent.reason)
  const giveUp = () => controller.abort(new DOMException('deadline passed', 'TimeoutError'))
  const stopTimer = startTimer(Math.max(0, milliseconds), giveUp)
  if (parent.aborted) stop()
  else parent.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    dispose: () => {
      stopTimer()
      parent.removeEventListener('abort', stop)
    },
  }
}
