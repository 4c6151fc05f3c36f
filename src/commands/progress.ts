import cliProgress from 'cli-progress'

const LINE_EVERY_MS = 5_000

export interface Progress {
  /** Shows `phase done/total`, followed by `detail`. A new phase ends the previous one. */
  show(phase: string, done: number, total: number, detail?: string): void
  stop(): void
}

/** The process whose SIGINT ends the bar. */
export type Interruptible = Pick<NodeJS.Process, 'once' | 'off' | 'kill' | 'pid'>

/**
 * Shows a bar on a terminal; elsewhere a line every five seconds and at the end of each phase. Ctrl-C shows the cursor again and then
 * ends the process by the same signal, so that a shell sees 130 and stops its own loop too.
 */
export function createProgress(stream: NodeJS.WriteStream, owner: Interruptible = process): Progress {
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
  let line = ''
  let due = performance.now() + LINE_EVERY_MS
  const flush = () => {
    if (line !== '' && !stream.isTTY) stream.write(`${line}\n`)
    line = ''
  }
  const interrupt = () => {
    stop()
    owner.kill(owner.pid, 'SIGINT')
  }
  const stop = () => {
    owner.off('SIGINT', interrupt)
    bar.stop()
    flush()
  }
  return {
    show(phase, done, total, detail = '') {
      const text = `${phase} ${done}/${total}${detail}`
      if (phase !== current) {
        stop()
        bar.start(total, done, { text })
        owner.once('SIGINT', interrupt)
      }
      bar.update(done, { text })
      current = phase
      line = text
      if (performance.now() < due) return
      due = performance.now() + LINE_EVERY_MS
      flush()
    },
    stop,
  }
}
