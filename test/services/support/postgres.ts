import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Running, runToEnd, startProcess } from './process.ts'
import { folderOf } from './programs.ts'
import { freePort, until } from './wait.ts'

/** An empty database in a folder of its own. */
export interface Postgres {
  /** Stays the same over {@link Postgres.start} and {@link Postgres.kill}. */
  url: string
  /** Starts it again, with what it held. */
  start(): Promise<void>
  /** SIGKILL, as when the machine takes the process away. */
  kill(): Promise<void>
  /** Ends it and removes its folder. */
  close(): Promise<void>
}

/** Starts PostgreSQL on a free port of loopback. As root, it runs as the user `postgres`, because it refuses to run as root. */
export async function startPostgres(): Promise<Postgres> {
  const programs = folderOf('postgres')
  const folder = await mkdtemp(join(tmpdir(), 'stowage-postgres-'))
  const user = process.getuid?.() === 0 ? await postgresUser() : null
  if (user) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const environment = { PATH: process.env.PATH ?? '', LC_ALL: 'C' }
  const inFolder = { cwd: folder, user, folder, environment }
  await runToEnd({
    ...inFolder,
    program: join(programs, 'initdb'),
    line: ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
  })
  const port = await freePort()
  // A socket in the folder is not needed, and its path could be too long.
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=50']
  let running: Running | null = null

  async function start(): Promise<void> {
    await until('PostgreSQL accepts connections', async () => {
      // After SIGKILL, the first start can fail while the last process of the old server is still ending.
      if (running === null) {
        const started = await startProcess({
          ...inFolder,
          program: join(programs, 'postgres'),
          line: ['-D', data, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])],
          endSignal: 'SIGQUIT',
        })
        running = started
        void started.ended.then(() => {
          if (running === started) running = null
        })
      }
      await promisify(execFile)(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)])
      return true
    })
  }

  await start()
  return {
    url: `postgres://postgres:unused@127.0.0.1:${port}/postgres`,
    start,
    async kill() {
      await running?.stop('SIGKILL')
    },
    async close() {
      await running?.stop('SIGINT')
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
