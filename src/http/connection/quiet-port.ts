import { setTimeout as pause, setImmediate } from 'node:timers/promises'

/** Neither clients that never stop to connect nor long turns of the event loop keep a port open for longer, in milliseconds. */
export const ACCEPTING_MS = 1_000
/** In a longer turn of the event loop, much can come after it has looked what has. */
const SHORT_TURN_MS = 1
const QUIET_TURNS = 2

/**
 * Resolves when no connection waits at a port, or after `ACCEPTING_MS`. The system breaks those that wait when the port closes, and accepts
 * them only one by one, in turns of the event loop. So the port is to be closed without a further wait.
 * @param accepted the number of connections that were accepted until now; null while some may wait elsewhere
 */
export async function untilPortIsQuiet(accepted: () => number | null): Promise<void> {
  const last = performance.now() + ACCEPTING_MS
  let quietTurns = 0
  while (quietTurns < QUIET_TURNS && performance.now() < last) {
    const before = accepted()
    // Meanwhile, the processor is for those who accept.
    await (before === null ? pause(1) : shortTurn())
    quietTurns = before !== null && accepted() === before ? quietTurns + 1 : 0
  }
}

/** Resolves after a short turn of the event loop, so that what has come is read; at the latest after `ACCEPTING_MS`. */
export async function shortTurn(): Promise<void> {
  const last = performance.now() + ACCEPTING_MS
  for (let began = 0, ended = performance.now(); ended - began > SHORT_TURN_MS && ended < last; ) {
    began = ended
    await setImmediate()
    ended = performance.now()
  }
}
