import cliProgress from 'cli-progress'

const LINE_EVERY_MS = 5_000

export interface Progress {
  /** Shows `phase done/total`, followed by `detail`. A new phase ends the previous one. */
  show(phase: string, done: number, total: number, detail?: string): void
  /** Writes a line of its own. */
  note(text: string): void
  stop(): void
}

/** Ctrl-C, and what a scheduler of containers sends. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The process whose signals end the bar. */
export type Interruptible = Pick<NodeJS.Process, 'once' | 'off' | 'kill' | 'pid'>

/**
 * Shows a bar on a terminal; elsewhere a line every five seconds and at the end of each phase. SIGINT and SIGTERM show the cursor again and
 * then end the process by the same signal, so that a shell sees 130 or 143 and stops its own loop too.
 * @param onInterrupt called between the two
 */
export function createProgress(
  stream: NodeJS.WriteStream,
  { owner = process, onInterrupt = () => {} }: { owner?: Interruptible; onInterrupt?: () => void } = {},
): Progress {
  const format = '{bar} {text}, ETA {eta_formatted}'
  // A bar writes nothing when the stream is not a terminal.
  const bar = new cliProgress.SingleBar({
    stream,
    format,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
  })
  let current = ''
  /** Where the phase began: not at 0 when it goes on from earlier work. */
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
    show(phase, done, total, detail = '') {
      const text = `${phase} ${done}/${total}${detail}`
      if (phase !== current) {
        stop()
        bar.start(total, done, { text })
        began = { at: performance.now(), done }
        for (const signal of SIGNALS) owner.once(signal, interrupt)
      }
      bar.update(done, { text })
      current = phase
      line = `${text}${timeLeft(done - began.done, total - done, performance.now() - began.at)}`
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
