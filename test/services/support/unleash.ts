import { join } from 'node:path'
import { type Running, startProcess } from './process.ts'
import { folderOf } from './programs.ts'
import { createUnleashAdmin, OPERATOR, type UnleashAdmin } from './unleash-admin.ts'
import { freePort, until } from './wait.ts'

const ADMIN_TOKEN = '*:*.admin-of-the-tests'
const CLIENT_TOKEN = 'default:development.client-of-the-tests'

/** A real Unleash server. */
export interface Unleash {
  /** What `UNLEASH_URL` takes. Stays the same over {@link Unleash.start} and {@link Unleash.kill}. */
  url: string
  /** What `UNLEASH_API_TOKEN` takes: environment `development`, project `default`. */
  token: string
  admin: UnleashAdmin
  start(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Makes it hang: connections are accepted, and nothing answers. `SIGCONT` ends that. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  close(): Promise<void>
}

/**
 * Starts unleash-server on a free port of loopback.
 * @param databaseUrl an empty database, or one that an Unleash of this version has used
 * @param environment more variables of the server, such as `IMPORT_FILE`
 */
export async function startUnleash(databaseUrl: string, environment: Record<string, string> = {}): Promise<Unleash> {
  const folder = folderOf('unleash')
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  let running: Running | null = null
  /** Processes that the tests end. */
  const wanted = new WeakSet<Running>()
  const stop = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (running) wanted.add(running)
    await running?.stop(signal)
  }

  async function start(): Promise<void> {
    running = await startProcess({
      program: process.execPath,
      line: [join(folder, 'node_modules/unleash-server/dist/server.js')],
      cwd: folder,
      environment: {
        PATH: process.env.PATH ?? '',
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        DATABASE_SSL: 'false',
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(port),
        LOG_LEVEL: 'warn',
        // Both would call addresses outside.
        CHECK_VERSION: 'false',
        SEND_TELEMETRY: 'false',
        UNLEASH_DEFAULT_ADMIN_USERNAME: OPERATOR.username,
        UNLEASH_DEFAULT_ADMIN_PASSWORD: OPERATOR.password,
        INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
        INIT_BACKEND_API_TOKENS: CLIENT_TOKEN,
        ...environment,
      },
    })
    const started = running
    let ended = false
    void started.ended.then(({ code, signal }) => {
      ended = true
      if (!wanted.has(started))
        process.stderr.write(`Unleash ended by itself (${code ?? signal}):\n${started.output()}\n`)
    })
    const healthy = await until('Unleash is healthy', async () => ended || (await fetch(`${origin}/health`)).ok)
    if (ended || !healthy) throw new Error(`Unleash ended at its start: ${started.output()}`)
  }

  await start()
  return {
    url: `${origin}/api`,
    token: environment.INIT_BACKEND_API_TOKENS ?? CLIENT_TOKEN,
    admin: createUnleashAdmin(origin, environment.INIT_ADMIN_API_TOKENS ?? ADMIN_TOKEN),
    start,
    signal: signal => running?.signal(signal),
    async kill() {
      await stop('SIGKILL')
    },
    async close() {
      running?.signal('SIGCONT')
      await stop('SIGTERM')
    },
  }
}
