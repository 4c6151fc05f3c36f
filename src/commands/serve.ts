import type { Command } from 'commander'
import { numberOption } from './option-values.ts'

export interface RunningService {
  /** `http://host:port` */
  url: string
  /** Upstream, plan and models, for the line that is printed at the start. It holds no secrets. */
  description: Record<string, string>
  /** Reads the files of tenants, flags and plans again; absent without any. */
  reload?: () => Promise<void>
  /** Waits at most `graceMs` for running requests, then closes everything. */
  close(graceMs: number): Promise<void>
}

/** Values of the command line; a missing one comes from the environment. */
export interface ListenOverrides {
  port?: number
  host?: string
}

/** A process that gets signals. */
export type Signalled = Pick<NodeJS.Process, 'on'> & { exit(code: number): void }

export interface ServeCommandDependencies<Overrides = ListenOverrides> {
  start(overrides: Overrides): Promise<RunningService>
  out: NodeJS.WritableStream
  process: Signalled & Pick<NodeJS.Process, 'ppid'>
  /** Whether npm or npx started this process. The service then ends when they end. */
  startedByNpm: boolean
}

/** Below the 10 to 30 s that orchestrators wait between SIGTERM and SIGKILL. */
const GRACE_MS = 8_000

/** Signals within this time are one: npm and `timeout` pass on a signal that the whole group of processes has got already. */
export const SAME_SIGNAL_MS = 500

/** How often to look whether the parent process is still there. */
const PARENT_CHECK_MS = 500

/** Adds `stowage serve`: runs until SIGTERM or SIGINT; a second signal ends the process at once. */
export function addServeCommand(program: Command, dependencies: ServeCommandDependencies): void {
  program
    .command('serve')
    .description('run the HTTP service: POST /v1/context, and the API of Qdrant with improved searches')
    .option('--port <port>', 'port to listen on (default: PORT); 0 chooses a free one', numberOption(0, 65_535))
    .option('--host <host>', 'address to listen on (default: HOST)')
    .action((overrides: ListenOverrides) => serve(overrides, dependencies))
}

/** Starts a service, prints its start line, and runs it until the first signal. A signal during the start ends it in order, too. */
export async function serve<Overrides>(
  overrides: Overrides,
  dependencies: ServeCommandDependencies<Overrides>,
): Promise<void> {
  const { start, out, process, startedByNpm } = dependencies
  const orphaned = startedByNpm ? untilOrphaned(process) : new Promise<never>(() => {})
  // A worker can answer, and so be asked to end, before the last one has started.
  const signalled = untilSignalled(process)
  const service = await start(overrides)
  const { reload } = service
  // Without a listener, this signal ends the process.
  if (reload) process.on('SIGHUP', () => void reload())
  const details = Object.entries(service.description).map(([name, value]) => `${name} ${value}`)
  out.write(`stowage listens on ${[service.url, ...details].join(' · ')}\n`)
  await Promise.race([signalled, orphaned])
  await service.close(GRACE_MS)
}

/** Resolves at the first signal. A later one ends the process, even with requests running. */
export function untilSignalled(process: Signalled): Promise<void> {
  return new Promise(resolve => {
    let first: number | null = null
    const onSignal = () => {
      const now = performance.now()
      first ??= now
      if (now - first > SAME_SIGNAL_MS) process.exit(1)
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

/**
 * Resolves when the parent process has ended. npm runs a command in a shell and passes a SIGTERM on to that shell only;
 * the shell ends by it and leaves the command without a parent and without a signal.
 */
function untilOrphaned(process: Pick<NodeJS.Process, 'ppid'>): Promise<void> {
  const parent = process.ppid
  return new Promise(resolve => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(timer)
      resolve()
    }, PARENT_CHECK_MS)
    timer.unref()
  })
}
