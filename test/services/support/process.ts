import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const TETHER = fileURLToPath(new URL('./tether.js', import.meta.url))
const MOST_OUTPUT = 100_000

/** What is to be started. */
export interface Start {
  program: string
  line: readonly string[]
  /** All that the program gets of an environment. */
  environment?: Readonly<Record<string, string>>
  cwd?: string
  /** Ids of the user that runs it; needs root. */
  user?: { uid: number; gid: number } | null
  /** Ends the program when the tests are gone. Default: SIGKILL. */
  endSignal?: NodeJS.Signals
  /** A folder that is removed when the tests are gone before they could do it. */
  folder?: string
}

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A real process. It never outlives the process that runs the tests. */
export interface Running {
  pid: number
  /** The last 100,000 characters of stdout and stderr. */
  output(): string
  /** Sends a signal. Does nothing when the process has ended. */
  signal(signal: NodeJS.Signals): void
  /** Sends the signal (default: SIGTERM) and waits for the end. SIGKILL follows when that takes too long. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
  ended: Promise<Ended>
}

const MOST_MS_TO_STOP = 30_000

/** Starts a program. Rejects when it cannot be started. */
export async function startProcess(start: Start): Promise<Running> {
  const { program, line, environment = {}, cwd, user, endSignal = 'SIGKILL', folder } = start
  // In a process group of its own, so that Ctrl-C in a terminal ends the tests, and the tether then ends the program.
  const tether = fork(TETHER, { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
  let written = ''
  for (const stream of [tether.stdout, tether.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-MOST_OUTPUT)
    })
  let tellEnded: (ended: Ended) => void
  const ended = new Promise<Ended>(resolve => {
    tellEnded = resolve
  })
  const pid = await new Promise<number>((resolve, reject) => {
    tether.on('message', (message: Partial<Ended> & { pid?: number; error?: string }) => {
      if (message.pid !== undefined) return resolve(message.pid)
      if (message.error !== undefined) reject(new Error(`${program} cannot be started: ${message.error}`))
      tellEnded({ code: message.code ?? null, signal: message.signal ?? null })
    })
    tether.once('exit', () => {
      reject(new Error(`${program} ended at its start`))
      tellEnded({ code: null, signal: null })
    })
    tether.send({ program, line, options: { env: environment, cwd, ...user }, endSignal, folder })
  })
  let running = true
  void ended.then(() => {
    running = false
  })
  const signal = (name: NodeJS.Signals) => {
    if (running && tether.connected) tether.send({ signal: name })
  }
  return {
    pid,
    output: () => written,
    signal,
    ended,
    async stop(name = 'SIGTERM') {
      signal(name)
      const tooLong = setTimeout(() => signal('SIGKILL'), MOST_MS_TO_STOP)
      const end = await ended
      clearTimeout(tooLong)
      return end
    },
  }
}

/** Runs a program to its end. Rejects with its output when the exit code is not 0. Resolves with its output. */
export async function runToEnd(start: Start): Promise<string> {
  const running = await startProcess(start)
  const { code, signal } = await running.ended
  if (code !== 0)
    throw new Error(`${start.program} ${start.line.join(' ')} ended with ${signal ?? code}: ${running.output()}`)
  return running.output()
}
