import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { SAME_SIGNAL_MS } from '../../../src/commands/serve.ts'
import { startWorkers, WORKERS } from '../../cluster/support/workers.ts'
import { chunk, fill } from '../../support/points.ts'
import { until } from '../support/wait.ts'

/** Workers that do not end and do not answer: what becomes of them, and of the requests. */

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** The shortest limit that a setting may have. */
const SHORT = { WORKER_HANG_MS: '2000' }

async function started(environment: Record<string, string> = {}) {
  const stowage = await startWorkers(environment)
  open.push(() => stowage.stop('SIGKILL'))
  await until('every worker has answered', async () => {
    await stowage.send('GET', '/collections')
    return stowage.workerPids().length === WORKERS || undefined
  })
  const page = async () => (await stowage.send('GET', '/v1/metrics')).text
  const sample = async (series: string) =>
    Number(
      (await page())
        .split('\n')
        .find(line => line.startsWith(`${series} `))
        ?.split(' ')[1],
    )
  return { ...stowage, sample, victim: stowage.workerPids()[0] ?? 0 }
}
type Started = Awaited<ReturnType<typeof started>>

const CONTEXTS = 'stowage_requests_total{endpoint="context",outcome="ok"}'
const statusOf = (request: Promise<{ status: number }>) =>
  request.then(
    ({ status }) => status,
    () => 'broken',
  )
const askAll = (stowage: Started) =>
  Array.from({ length: 3 * WORKERS }, () => statusOf(stowage.send('GET', '/healthz')))

/** Waits until all but one are answered. A worker gets one connection at a time, so the others go to those that answer. */
function untilOneIsStuck(requests: readonly Promise<unknown>[]) {
  let answered = 0
  for (const request of requests) void request.then(end => (answered += end === 'broken' ? 0 : 1))
  return until('one is stuck', () => answered === requests.length - 1 || undefined)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Makes a worker run an endless loop when it is told to. */
async function withEndlessLoop() {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-hang-'))
  open.push(() => rm(folder, { recursive: true }))
  const [script, mark] = [join(folder, 'endless.cjs'), join(folder, 'endless')]
  await writeFile(
    script,
    `process.on('SIGUSR2', () => { require('node:fs').writeFileSync(${JSON.stringify(mark)}, ''); for (;;); })\n`,
  )
  return {
    environment: { NODE_OPTIONS: `--require ${script}` },
    /** Resolves when its event loop does not turn any more: a signal waits for its turn. */
    hang(pid: number) {
      process.kill(pid, 'SIGUSR2')
      return until('the endless loop has begun', () => existsSync(mark))
    },
  }
}

describe('a worker that hangs', () => {
  it('is replaced after the limit, and the sum of the metrics does not fall', async () => {
    const stowage = await started(SHORT)
    await fill(stowage.url, 'harbour', [chunk(1, 'The sluice is described here.')])
    const ask = () => stowage.sendToAll('POST', '/v1/context', { query: 'sluice', collection: 'harbour' })
    const first = await ask()
    expect(await stowage.sample(CONTEXTS)).toBe(first.length)
    process.kill(stowage.victim, 'SIGSTOP')
    const asked = askAll(stowage)
    const ended = until('it has ended', () => !isAlive(stowage.victim))
    await untilOneIsStuck(asked)
    await ended
    // The connection that it had got is closed, and no other one was lost.
    expect((await Promise.all(asked)).sort()).toEqual([...Array(asked.length - 1).fill(200), 'broken'])
    await until('another worker has taken its place', async () => (await stowage.sample('stowage_workers')) === WORKERS)
    const second = await ask()
    expect([...first, ...second].map(({ status }) => status)).toEqual(Array(6 * WORKERS).fill(200))
    expect(await stowage.sample(CONTEXTS)).toBe(first.length + second.length)
    expect(await stowage.sample('stowage_worker_hangs_total')).toBe(1)
    expect(await stowage.sample('stowage_worker_restarts_total')).toBe(1)
    const lines = stowage.log().filter(line => 'silentMs' in line || 'restartMs' in line)
    expect(lines).toMatchObject([
      { workerPid: stowage.victim, msg: 'the event loop of a worker does not turn; the worker is killed' },
      { workerPid: stowage.victim, msg: 'a worker ended; it is started again', detail: 'it was ended by SIGKILL' },
    ])
  })

  it('is kept when it goes on before the limit, and answers what has waited', async () => {
    const stowage = await started()
    process.kill(stowage.victim, 'SIGSTOP')
    const asked = askAll(stowage)
    await untilOneIsStuck(asked)
    process.kill(stowage.victim, 'SIGCONT')
    expect(await Promise.all(asked)).toEqual(asked.map(() => 200))
    await until('it answers again', async () => {
      const before = stowage.log().length
      await stowage.sendToAll('GET', '/collections')
      return stowage
        .log()
        .slice(before)
        .some(({ pid, route }) => route !== undefined && pid === stowage.victim)
    })
    expect(await stowage.sample('stowage_worker_hangs_total')).toBe(0)
    expect(await stowage.sample('stowage_worker_restarts_total')).toBe(0)
    expect(stowage.workerPids()).toHaveLength(WORKERS)
  })

  it('is found when all of them hang: no client waits for ever, and all are answered by those that take their places', async () => {
    const stowage = await started(SHORT)
    const victims = stowage.workerPids()
    for (const pid of victims) process.kill(pid, 'SIGSTOP')
    // Without a worker there is no port for a moment, so these end without an answer, or are answered by another one.
    await Promise.all(askAll(stowage))
    await until('the whole answers again', async () => (await stowage.sample('stowage_workers')) === WORKERS)
    expect(await Promise.all(askAll(stowage))).toEqual(Array(3 * WORKERS).fill(200))
    expect(await stowage.sample('stowage_worker_hangs_total')).toBe(WORKERS)
    expect(victims.map(isAlive)).toEqual(victims.map(() => false))
  })
})

describe('the whole', () => {
  it('ends without an error at a signal while a worker is in an endless loop', async () => {
    const { environment, hang } = await withEndlessLoop()
    // Longer than a busy machine takes from the loop to the signal: a worker that is killed before is started again.
    const stowage = await started({ WORKER_HANG_MS: '6000', ...environment })
    await hang(stowage.victim)
    const asked = askAll(stowage)
    await untilOneIsStuck(asked)
    expect((await stowage.stop('SIGTERM')).code).toBe(0)
    expect((await Promise.all(asked)).filter(end => end === 'broken')).toHaveLength(1)
    expect(stowage.log().filter(line => 'restartMs' in line)).toEqual([])
  })

  it('leaves no worker behind at the second signal, also none in an endless loop', async () => {
    const { environment, hang } = await withEndlessLoop()
    const stowage = await started(environment)
    const others = stowage.workerPids().filter(pid => pid !== stowage.victim)
    await hang(stowage.victim)
    await untilOneIsStuck(askAll(stowage))
    stowage.signal('SIGINT')
    await until('the others have ended', () => !others.some(isAlive))
    open.push(() => isAlive(stowage.victim) && process.kill(stowage.victim, 'SIGKILL'))
    await setTimeout(2 * SAME_SIGNAL_MS)
    // Resolves when nobody has its stdout any more.
    expect((await stowage.stop('SIGINT')).code).toBe(1)
  })
})
