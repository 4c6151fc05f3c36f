import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Running, startProcess } from './process.ts'
import { folderOf } from './programs.ts'
import { freePort, until } from './wait.ts'

/** A Redis that keeps nothing on the disk. */
export interface Redis {
  /** Stays the same over {@link Redis.start} and {@link Redis.kill}. It has the password. */
  url: string
  port: number
  /** Starts it again, empty. */
  start(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGSTOP: it takes connections, and answers nothing. */
  pause(): void
  resume(): void
  /** Runs one command. @returns the answer as it is on the wire */
  command(...words: string[]): Promise<string>
  close(): Promise<void>
}

const PASSWORD = 'for-tests'

/** Starts Redis on a free port of loopback. @param settings as on its command line, such as `--maxmemory 2mb` */
export async function startRedis(settings: readonly string[] = []): Promise<Redis> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-redis-'))
  const port = await freePort()
  let running: Running | null = null

  const command = (...words: string[]) =>
    new Promise<string>((resolve, reject) => {
      const socket = createConnection({ host: '127.0.0.1', port })
      let answer = ''
      socket.setEncoding('utf8').on('data', text => {
        answer += text
      })
      socket.once('error', reject).once('close', () => resolve(answer.replace(/^\+OK\r\n/u, '')))
      for (const line of [['AUTH', PASSWORD], words, ['QUIT']])
        socket.write(`*${line.length}\r\n${line.map(word => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`)
    })

  async function start(): Promise<void> {
    running = await startProcess({
      program: join(folderOf('redis'), 'redis-server'),
      line: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD, ...settings],
      cwd: folder,
      folder,
    })
    await until('Redis answers', async () => (await command('PING')).includes('PONG'))
  }

  await start()
  return {
    url: `redis://:${PASSWORD}@127.0.0.1:${port}`,
    port,
    start,
    command,
    kill: async () => {
      await running?.stop('SIGKILL')
    },
    pause: () => running?.signal('SIGSTOP'),
    resume: () => running?.signal('SIGCONT'),
    async close() {
      await running?.stop('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
