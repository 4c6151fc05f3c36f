export interface Deadline {
  signal: AbortSignal
  /** Frees the timer. */
  dispose(): void
}

/** A signal that aborts with its parent or after some milliseconds, whichever is first. */
export function startDeadline(parent: AbortSignal, milliseconds: number): Deadline {
  const controller = new AbortController()
  const stop = () => controller.abort(parent.reason)
  const giveUp = () => controller.abort(new DOMException('deadline passed', 'TimeoutError'))
  const timer = setTimeout(giveUp, Math.max(0, milliseconds))
  if (parent.aborted) stop()
  else parent.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    dispose: () => {
      clearTimeout(timer)
      parent.removeEventListener('abort', stop)
    },
  }
}
