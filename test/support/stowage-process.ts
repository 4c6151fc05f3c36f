import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { COMPILED } from './compiled.ts'

/** What `npx stowage` starts in a clone: TypeScript as it stands. */
export const STOWAGE = fileURLToPath(new URL('../../src/stowage.js', import.meta.url))

/** What a process wrote, and its exit code: null when a signal ended it. */
export interface Ended {
  code: number | null
  out: string
  err: string
}

/**
 * The commands of stowage as a shell would run them, on a given binary of Node and with a given script.
 * @param node or a program that starts it, such as `npx`; `cwd` is the working directory (default: this process's own)
 */
export function createCommands({ node, script, cwd }: { node: string; script: string; cwd?: string }) {
  const startStowage = (line: readonly string[], environment: Record<string, string>) =>
    start(node, [script, ...line], environment, cwd)
  return {
    /** Starts a command and closes its stdout, as `| head` does once it has its lines. */
    runIntoClosedStdout(line: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
      const { child, ended } = startStowage(line, environment)
      child.stdout?.destroy()
      return ended
    },

    /** Runs Node itself to its end. */
    node: (line: readonly string[]): Promise<Ended> => start(node, line, {}).ended,

    /** Runs a command to its end. */
    run: (line: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
      startStowage(line, environment).ended,

    /** Runs a command until `isReached`, and then kills it without a warning. */
    async runUntil(line: readonly string[], isReached: () => boolean, environment: Record<string, string> = {}) {
      const { child, ended } = startStowage(line, environment)
      let isOver = false
      void ended.finally(() => {
        isOver = true
      })
      while (!isOver && !isReached()) await new Promise(resolve => setTimeout(resolve, 20))
      child.kill('SIGKILL')
      return ended
    },

    /** Runs a command that stays up, such as `serve --port 0`, and resolves once it says where it listens. */
    async startListening(line: readonly string[], environment: Record<string, string> = {}) {
      const { child, written, ended } = startStowage(line, environment)
      const url = await new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = /listens on (http:\/\/[\d.]+:\d+)/u.exec(written.out + written.err)?.[1]
          if (found) resolve(found)
        }
        child.stdout?.on('data', look)
        child.stderr?.on('data', look)
        ended.then(({ err }) => reject(new Error(`${line.join(' ')} ended before it listened: ${err}`)), reject)
      })
      return {
        url,
        pid: child.pid ?? 0,
        /** What it has written so far. */
        written,
        /** Leaves what it writes to stderr unread until it has ended. */
        leaveLogUnread(): void {
          child.stderr?.pause()
          child.once('exit', () => child.stderr?.resume())
        },
        /** Sends a signal that does not end the process. */
        signal: (signal: NodeJS.Signals): void => void child.kill(signal),
        /** Sends the signal and waits for the end of the process and of all that write to its stdout. */
        stop(signal: NodeJS.Signals): Promise<Ended> {
          child.kill(signal)
          return ended
        },
      }
    },
  }
}

/** On the Node that runs the tests, as `compile.ts` made it for them. */
export const { run, runIntoClosedStdout, runUntil, startListening } = createCommands({
  node: process.execPath,
  script: fileURLToPath(new URL('cli.js', COMPILED)),
})

/** A process that gets nothing of this one's environment but the path to programs. */
function start(program: string, line: readonly string[], environment: Record<string, string>, cwd?: string) {
  const fixed = { PATH: process.env.PATH, EMBEDDER: 'none', RERANKER: 'off', LOG_LEVEL: 'error' }
  const child: ChildProcess = spawn(program, line, { env: { ...fixed, ...environment }, ...(cwd && { cwd }) })
  const written = { out: '', err: '' }
  child.stdout?.on('data', text => {
    written.out += text
  })
  child.stderr?.on('data', text => {
    written.err += text
  })
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...written }))
  return { child, written, ended }
}
