/**
 * A signal that aborts with the first of two. It can be let go, unlike one of `AbortSignal.any`: Node 20 keeps such a signal for the life
 * of the process while anybody listens to it, together with all that its listeners hold.
 */
export function eitherSignal(one: AbortSignal, other: AbortSignal): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController()
  const stops = [one, other].map(parent => {
    const stop = () => controller.abort(parent.reason)
    if (parent.aborted) stop()
    else parent.addEventListener('abort', stop, { once: true })
    return () => parent.removeEventListener('abort', stop)
  })
  return {
    signal: controller.signal,
    dispose: () => {
      for (const stop of stops) stop()
    },
  }
}
