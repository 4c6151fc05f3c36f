import { setTimeout as pause } from 'node:timers/promises'
import { untilPortIsQuiet } from '../http/connection/quiet-port.ts'
import type { WorkerEnd, WorkerProcess } from './worker-process.ts'

export interface SupervisorOptions {
  /** Number of workers. */
  count: number
  /** Starts the process of a worker. @param place from 0; 0 is the first worker */
  start(place: number): WorkerProcess
  /** Called at each end of a worker that was not asked to end, also when it ends before it has listened. */
  onLost(event: { pid: number; end: WorkerEnd; restartMs: number }): void
  /** Waits before a lost worker is started again. Default: timers. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** A worker that lives as long as this is sound: its next end is a first one again. */
const SOUND_MS = 60_000
const FIRST_RESTART_MS = 100
const LONGEST_RESTART_MS = 10_000
/** Closing models takes up to 5 s. */
const CLOSING_MS = 7_000

/**
 * Starts the workers, and starts those again that are lost, after a pause that doubles with each end in a row.
 * @throws Error with the reason of the first worker that cannot start; the others are then ended
 */
export async function startSupervisor(options: SupervisorOptions) {
  const { count, start, onLost, pause = pauseFor, now = () => performance.now() } = options
  const running = new Map<number, WorkerProcess>()
  const closing = new AbortController()

  function open(place: number): WorkerProcess {
    const worker = start(place)
    running.set(place, worker)
    return worker
  }

  /** Replaces a worker whenever it ends. */
  async function keep(place: number, first: WorkerProcess): Promise<void> {
    let [worker, startedAt, lostInARow] = [first, now(), 0]
    for (;;) {
      const end = await worker.ended
      running.delete(place)
      if (closing.signal.aborted) return
      lostInARow = now() - startedAt > SOUND_MS ? 1 : lostInARow + 1
      const restartMs = Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** (lostInARow - 1))
      onLost({ pid: worker.pid, end, restartMs })
      await pause(restartMs, closing.signal)
      if (closing.signal.aborted) return
      startedAt = now()
      worker = open(place)
      // Why it cannot start is told by its end.
      worker.listening.catch(() => {})
    }
  }

  const first = Array.from({ length: count }, (_, place) => open(place))
  try {
    await Promise.all(first.map(({ listening }) => listening))
  } catch (error) {
    closing.abort()
    for (const worker of first) worker.kill()
    await Promise.all(first.map(({ ended }) => ended))
    throw error
  }
  const kept = first.map((worker, place) => keep(place, worker))

  return {
    /** The workers that run now, the first one first. */
    get workers(): readonly WorkerProcess[] {
      return [...running].sort(([one], [other]) => one - other).map(([, worker]) => worker)
    },
    /** Ends all workers and waits for them. Those that have not ended after `graceMs` and some seconds are killed. */
    async close(graceMs: number): Promise<void> {
      closing.abort()
      const workers = [...running.values()]
      for (const worker of workers) worker.stop(graceMs)
      await untilPortIsQuiet(() => acceptedBy(workers))
      for (const worker of workers) worker.leavePort()
      const killing = setTimeout(() => workers.map(worker => worker.kill()), graceMs + CLOSING_MS)
      await Promise.all([...kept, ...workers.map(({ ended }) => ended)])
      clearTimeout(killing)
    },
  }
}

/** The connections that workers were given; null when no worker waits for one, because some may then wait for a worker. */
function acceptedBy(workers: readonly WorkerProcess[]): number | null {
  const known = workers.flatMap(({ connections }) => connections ?? [])
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0)
}

/** Ends early when the signal aborts. */
async function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, null, { signal }).catch(() => {})
}
