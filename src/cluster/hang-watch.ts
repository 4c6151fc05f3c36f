import type { WorkerProcess } from './worker-process.ts'

/** How often a worker says that its event loop turns, in milliseconds, and how often the primary looks. */
export const BEAT_MS = 500
/** A pause of the primary, such as a machine that sleeps, counts for no more than this: the worker may have paused with it. */
const MOST_COUNTED_MS = 2 * BEAT_MS
/** A worker that does not listen yet loads modules and models, which can hold its event loop. It gets no connections. */
const STARTING_MS = 300_000

interface HangWatchOptions {
  /** A worker is killed when it has been silent for this long, in milliseconds of the primary's own time. */
  hangMs: number
  /** Called once, before the worker is killed. */
  onHung(event: { pid: number; silentMs: number }): void
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  /** Calls `look` again and again. Default: a timer. @returns ends this */
  repeat?: (look: () => void) => () => void
}

/**
 * Kills a worker whose event loop no longer turns. Every message of the worker counts as a sign that it does, because its beats can be lost
 * among many messages.
 */
export function killWhenHung(worker: WorkerProcess, options: HangWatchOptions): void {
  const { hangMs, onHung, now = () => performance.now(), repeat = repeatByTimer } = options
  let mostMs = Math.max(hangMs, STARTING_MS)
  let silentMs = 0
  let lookedAt = now()

  worker.onMessage(() => {
    silentMs = 0
  })
  const end = repeat(() => {
    const at = now()
    silentMs += Math.min(at - lookedAt, MOST_COUNTED_MS)
    lookedAt = at
    if (silentMs < mostMs) return
    end()
    onHung({ pid: worker.pid, silentMs: Math.round(silentMs) })
    // A loop that does not turn runs no handler of any other signal.
    worker.kill()
  })
  // Why it cannot start is told by its end.
  worker.listening.then(() => (mostMs = hangMs)).catch(() => {})
  void worker.ended.then(end)
}

function repeatByTimer(look: () => void): () => void {
  const timer = setInterval(look, BEAT_MS)
  return () => clearInterval(timer)
}
