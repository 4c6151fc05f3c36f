/** Longest share of a request's time that it waits for its turn. The shares below are of the time after that. */
export const QUEUE_SHARE = 0.5
/** A request that takes more than this share of its time, in a busy process, has too many others beside it. */
export const SLOW_SHARE = 0.3
/** Longest share of a step's time that its work may wait for a worker. Work that would wait longer is left out. */
export const WORKER_WAIT_SHARE = 0.5
/** Share of a request's time in which the query is embedded. A later vector is left out; only the keyword list is searched. */
export const EMBEDDING_SHARE = 0.4
/** Share of a request's time in which a question is corrected and searched once more. Later, the first search stays. */
export const CORRECTION_SHARE = 0.5
/** Share of a request's time in which the documents that the question names are searched once more. Later, what was found stays. */
export const NAMED_DOCUMENTS_SHARE = 0.6
/** Share of a request's time after which reranking stops, whatever its own deadline is. */
export const RERANKING_SHARE = 0.7
/** Share of a request's time after which neighbours are no longer fetched. The rest is for packing. */
export const NEIGHBOUR_SHARE = 0.85
/** Share of a request's time after which ranking and packing end with what they have. The rest is for the last count and for sending. */
export const PACKING_SHARE = 0.9

export interface Deadline {
  signal: AbortSignal
  /** Milliseconds that are left, 0 or more; Infinity without a deadline. */
  remainingMs(): number
  /** An earlier deadline, at a share of the whole time. The time counts from the start of this deadline. */
  part(share: number): Deadline
  /** A deadline at the same time, whose parts count from now. */
  rest(): Deadline
  /** Frees the timer. */
  dispose(): void
}

/** Calls a function once after some milliseconds, unless the returned function is called before. */
export type StartTimer = (milliseconds: number, run: () => void) => () => void

export const systemTimer: StartTimer = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

/** A timer that does not keep the process alive. */
export const quietTimer: StartTimer = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds)
  timer.unref()
  return () => clearTimeout(timer)
}

/** A signal that aborts with its parent or after some milliseconds, whichever is first. @param now of the clock that the timer uses */
export function startDeadline(
  parent: AbortSignal,
  milliseconds: number,
  startTimer: StartTimer = systemTimer,
  now: () => number = () => performance.now(),
): Deadline {
  const endsAt = now() + milliseconds
  const controller = new AbortController()
  const stop = () => controller.abort(parent.reason)
  const giveUp = () => controller.abort(new DOMException('deadline passed', 'TimeoutError'))
  const stopTimer = startTimer(Math.max(0, milliseconds), giveUp)
  const remainingMs = () => Math.max(0, endsAt - now())
  if (parent.aborted) stop()
  else parent.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    remainingMs,
    part: share => startDeadline(controller.signal, remainingMs() - milliseconds * (1 - share), startTimer, now),
    rest: () => startDeadline(controller.signal, remainingMs(), startTimer, now),
    dispose: () => {
      stopTimer()
      parent.removeEventListener('abort', stop)
    },
  }
}

/** A deadline that never passes, for runs without a client. Each part has its own signal, so that listeners do not gather on one. */
export function noDeadline(): Deadline {
  return {
    signal: new AbortController().signal,
    remainingMs: () => Number.POSITIVE_INFINITY,
    part: noDeadline,
    rest: noDeadline,
    dispose: () => {},
  }
}
