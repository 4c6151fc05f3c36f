import { setMaxListeners } from 'node:events'

/** Rejects at an abort, also while an SDK waits for its next attempt: it looks at the signal only afterwards. */
export async function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  // All calls of a run listen to its one signal, and each lets go in the end. Node would warn of the eleventh.
  setMaxListeners(0, signal)
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    // The work goes on to its own end, and nobody listens.
    work.catch(() => {})
  }
}
