/** Signals that end when their parent does or when their time is up, whichever is first; `dispose` frees the timer. */
export interface Deadline {
  signal: AbortSignal
  dispose(): void
}

export function startDeadline(parent: AbortSignal, milliseconds: number): Deadline {
  const controller = new AbortController()
  const stop = () => controller.abort(parent.reason)
  const timer = setTimeout(
    () => controller.abort(new DOMException('deadline passed', 'TimeoutError')),
    Math.max(0, milliseconds),
  )
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
