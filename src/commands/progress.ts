import cliProgress from 'cli-progress'
import type { Effort } from '../core/types.ts'

const LINE_EVERY_MS = 5_000

export interface Progress {
  /**
   * Shows `phase done/total`, followed by `detail`. A new phase ends the previous one.
   * @param effort what the bar and the time left are computed from, where the things that are counted take unequal time; default: their
   *   numbers. Its total may change.
   */
  show(phase: string, done: number, total: number, detail?: string, effort?: Effort): void
  /** Writes a line of its own. */
  note(text: string): void
  stop(): void
}

/** Ctrl-C, and what a scheduler of containers sends. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The process whose signals end the bar. */
type Interruptible = Pick<NodeJS.Process, 'once' | 'off' | 'kill' | 'pid'>

/**
 * Shows a bar on a terminal; elsewhere a line every five seconds and at the end of each phase. SIGINT and SIGTERM show the cursor again and
 * then end the process by the same signal, so that a shell sees 130 or 143 and stops its own loop too.
 * @param onInterrupt called between the two
 */
export function createProgress(
  stream: NodeJS.WriteStream,
  { owner = process, onInterrupt = () => {} }: { owner?: Interruptible; onInterrupt?: () => void } = {},
): Progress {
  const format = '{bar} {line}'
  // A bar writes nothing when the stream is not a terminal.
  const bar = new cliProgress.SingleBar({
    stream,
    format,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
  })
  let current = ''
  /** Where the effort of the phase began: not at 0 when it goes on from earlier work, and not before anything is done. */
  let began = { at: 0, done: 0 }
  let line = ''
  let due = performance.now() + LINE_EVERY_MS
  const flush = () => {
    if (line !== '' && !stream.isTTY) stream.write(`${line}\n`)
    line = ''
  }
  const interrupt = (signal: NodeJS.Signals) => {
    stop()
    onInterrupt()
    owner.kill(owner.pid, signal)
  }
  const stop = () => {
    for (const signal of SIGNALS) owner.off(signal, interrupt)
    bar.stop()
    flush()
  }
  return {
    show(phase, done, total, detail = '', effort = { done, total }) {
      const text = `${phase} ${done}/${total}${detail}`
      if (phase !== current) {
        stop()
        bar.start(effort.total, effort.done, { line: text })
        began = { at: performance.now(), done: effort.done }
        for (const signal of SIGNALS) owner.once(signal, interrupt)
      }
      current = phase
      if (effort.done === began.done) began.at = performance.now()
      const left = timeLeft(effort.done - began.done, effort.total - effort.done, performance.now() - began.at)
      line = `${text}${left}`
      bar.setTotal(effort.total)
      bar.update(effort.done, { line })
      if (performance.now() < due) return
      due = performance.now() + LINE_EVERY_MS
      flush()
    },
    note(text) {
      stop()
      current = ''
      stream.write(`${text}\n`)
    },
    stop,
  }
}

/** The time for what is left, at the speed of what is done; '' while nothing is known, and at the end. */
function timeLeft(done: number, left: number, tookMs: number): string {
  if (done <= 0 || left <= 0) return ''
  const seconds = Math.ceil((left * tookMs) / done / 1_000)
  const minutes = Math.floor(seconds / 60)
  return `, ETA ${minutes > 0 ? `${minutes} min ` : ''}${seconds % 60} s`
}
