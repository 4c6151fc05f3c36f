import type { Command } from 'commander'
import { numberOption } from './number-option.ts'

/** A service that accepts requests. */
export interface RunningService {
  /** `http://host:port` */
  url: string
  /** What answers, for the one line that is printed: upstream, plan, models; no secrets. */
  description: Record<string, string>
  /** Lets requests in flight finish for at most `graceMs`, then lets go of everything. */
  close(graceMs: number): Promise<void>
}

/** What `--port` and `--host` override; absent keys leave it to the environment. */
export interface ListenOverrides {
  port?: number
  host?: string
}

export interface ServeCommandDependencies {
  start(overrides: ListenOverrides): Promise<RunningService>
  out: NodeJS.WritableStream
  /** Where signals come from and how the process ends: `process`. */
  process: Pick<NodeJS.Process, 'on'> & { exit(code: number): void }
}

/** Orchestrators wait 10 to 30 s between SIGTERM and SIGKILL. */
const GRACE_MS = 8_000

/** Adds `stowage serve`: the HTTP service, until SIGTERM or SIGINT; a second signal ends it at once. */
export function addServeCommand(program: Command, dependencies: ServeCommandDependencies): void {
  program
    .command('serve')
    .description('run the HTTP service: POST /v1/context, and the drop-in endpoint for Qdrant')
    .option('--port <port>', 'port to listen on (PORT); 0 takes a free one', numberOption(0, 65_535))
    .option('--host <host>', 'address to listen on (HOST)')
    .action((overrides: ListenOverrides) => serve(overrides, dependencies))
}

async function serve(overrides: ListenOverrides, { start, out, process }: ServeCommandDependencies): Promise<void> {
  const service = await start(overrides)
  const details = Object.entries(service.description).map(([name, value]) => `${name} ${value}`)
  out.write(`stowage listens on ${[service.url, ...details].join(' · ')}\n`)
  await untilSignalled(process)
  await service.close(GRACE_MS)
}

/** Resolves with the first signal; from then on the next one ends the process, whatever is still in flight. */
function untilSignalled(process: ServeCommandDependencies['process']): Promise<void> {
  return new Promise(resolve => {
    let signalled = false
    const onSignal = () => {
      if (signalled) process.exit(1)
      signalled = true
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
