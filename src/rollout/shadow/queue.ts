import { messageOf } from '../../core/errors.ts'
import type { ShadowOutcome } from '../../core/vocabulary.ts'
import { type StartTimer, systemTimer } from '../../pipeline/deadline.ts'
import { Background } from '../../pipeline/pacing/background.ts'
import type { ShadowRun, TraceStore } from '../../pipeline/services.ts'
import { overlapOf } from './overlap.ts'

interface ShadowQueueDependencies {
  traces: Pick<TraceStore, 'record'>
  /** A shadow run ended. */
  onRan(event: { outcome: ShadowOutcome; overlap: number | null; detail: string }): void
  /** Number of runs that wait or run. */
  onQueued(event: { length: number }): void
  startTimer?: StartTimer
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

const MOST_RUNNING = 2
const MOST_WAITING = 32
/** From the answer to the end of its shadow, in milliseconds. A shadow uses the key and the condition of its request no longer than that. */
export const SHADOW_LIFE_MS = 10_000

/** One offered run until its end. */
interface Shadow extends ShadowRun {
  background: Background
  /** Milliseconds of work so far, without waiting. */
  workedMs(): number
  begin(): void
  /** Reports the outcome once. */
  end(outcome: ShadowOutcome, overlap: number | null, detail: string): void
  abort(reason: Error): void
}

/**
 * Runs shadows after their answers: a few at a time, while no request of a client works (`Background`), until each has compared or its time
 * is up. More than fit are dropped. The chunks of both runs are compared, and the trace of the shadow is stored for its caller.
 */
export function createShadowQueue({
  traces,
  onRan,
  onQueued,
  startTimer = systemTimer,
  now = () => performance.now(),
}: ShadowQueueDependencies) {
  const waiting = new Set<Shadow>()
  /** Runs that ignore their signal stay here, so that no more than a few can ever run. */
  const running = new Set<Shadow>()
  let closed = false

  const countQueue = () => onQueued({ length: waiting.size + running.size })

  function startNext(): void {
    const [shadow] = waiting
    if (closed || shadow === undefined || running.size >= MOST_RUNNING) return
    waiting.delete(shadow)
    running.add(shadow)
    void compare(shadow).finally(() => {
      running.delete(shadow)
      countQueue()
      startNext()
    })
  }

  async function compare({ control, owner, run, background, begin, end }: Shadow): Promise<void> {
    try {
      await background.turn()
      begin()
      const trace = await run(background)
      if (background.signal.aborted) return
      traces.record(trace, owner)
      end('compared', overlapOf(control, trace), '')
    } catch (error) {
      end('failed', null, messageOf(error))
    }
  }

  function shadowOf(run: ShadowRun): Shadow {
    const controller = new AbortController()
    const background = new Background(controller.signal, { now })
    const abort: Shadow['abort'] = reason => controller.abort(reason)
    let ended = false
    let begun: number | null = null
    const end: Shadow['end'] = (outcome, overlap, detail) => {
      if (ended) return
      ended = true
      stopTimer()
      if (!closed) onRan({ outcome, overlap, detail })
    }
    const stopTimer = startTimer(SHADOW_LIFE_MS, () => {
      waiting.delete(shadow)
      end(
        shadow.workedMs() < SHADOW_LIFE_MS / 2 ? 'dropped' : 'failed',
        null,
        `not compared within ${SHADOW_LIFE_MS} ms`,
      )
      abort(new DOMException('the time of the shadow is up', 'TimeoutError'))
      countQueue()
    })
    const shadow: Shadow = {
      ...run,
      background,
      workedMs: () => (begun === null ? 0 : background.now() - begun),
      begin: () => {
        begun = background.now()
      },
      end,
      abort,
    }
    return shadow
  }

  return {
    offer(run: ShadowRun): void {
      if (closed) return
      if (waiting.size >= MOST_WAITING) {
        onRan({ outcome: 'dropped', overlap: null, detail: `${MOST_WAITING} others wait` })
        return
      }
      waiting.add(shadowOf(run))
      startNext()
      countQueue()
    },
    /** Drops those that wait, and aborts those that run without waiting for them. */
    close(): void {
      closed = true
      for (const { end, abort } of [...waiting, ...running]) {
        end('dropped', null, 'stowage closes')
        abort(new Error('stowage closes'))
      }
      waiting.clear()
    },
  }
}
