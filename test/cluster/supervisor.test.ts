import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createLine } from '../../src/cluster/line.ts'
import { type SupervisorOptions, startSupervisor } from '../../src/cluster/supervisor.ts'
import type { Listening } from '../../src/cluster/topics.ts'
import type { WorkerEnd, WorkerProcess } from '../../src/cluster/worker-process.ts'
import { deferred } from '../support/deferred.ts'

const LISTENING: Listening = { url: 'u', description: {}, warnings: [], canReload: false, ownAddress: null }
const CRASHED: WorkerEnd = { code: 1, signal: null, reason: null }

/** Processes that do what the test says. */
function createProcesses() {
  const all: (WorkerProcess & {
    end(end: WorkerEnd): void
    connections: number | null
    stopped: boolean
    left: boolean
    killed: boolean
    fail(e: Error): void
  })[] = []
  const start = (): WorkerProcess => {
    const ended = deferred<WorkerEnd>()
    const listening = deferred<Listening>()
    let fail: (error: Error) => void = () => {}
    const process = {
      line: createLine(new EventEmitter()),
      pid: all.length,
      listening: Promise.race([listening.promise, new Promise<never>((_, reject) => (fail = reject))]),
      ended: ended.promise,
      onMessage() {},
      connections: 0 as number | null,
      stopped: false,
      left: false,
      killed: false,
      leavePort() {
        process.left = true
      },
      stop() {
        process.stopped = true
      },
      kill() {
        process.killed = true
        ended.resolve({ code: null, signal: 'SIGKILL', reason: null })
      },
      end: ended.resolve,
      fail: (error: Error) => fail(error),
    }
    all.push(process)
    listening.resolve(LISTENING)
    return process
  }
  return { all, start }
}

async function supervise(over: Partial<SupervisorOptions> = {}) {
  const processes = createProcesses()
  const lost: number[] = []
  let time = 0
  const supervisor = await startSupervisor({
    count: 3,
    start: processes.start,
    onLost: ({ restartMs }) => lost.push(restartMs),
    pause: async () => {},
    now: () => time,
    ...over,
  })
  /** Waits until the process at the end of the list is a new one. */
  const replaced = async (count: number) => {
    while (processes.all.length < count) await new Promise(resolve => setImmediate(resolve))
  }
  return { supervisor, processes, lost, replaced, pass: (ms: number) => (time += ms) }
}

it('replaces a lost worker after a pause that doubles up to 10 s, and forgets the losses of a worker that lives', async () => {
  const { processes, lost, replaced, pass } = await supervise({ count: 1 })
  for (let losses = 1; losses <= 9; losses++) {
    processes.all.at(-1)?.end(CRASHED)
    await replaced(losses + 1)
  }
  expect(lost).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
  pass(60_001)
  processes.all.at(-1)?.end(CRASHED)
  await replaced(11)
  expect(lost.at(-1)).toBe(100)
})

it('starts no worker again once it is closing, kills none that ends, and waits for all', async () => {
  const { supervisor, processes, lost } = await supervise()
  const closing = supervisor.close(1_000)
  expect(processes.all.map(({ stopped }) => stopped)).toEqual([true, true, true])
  for (const process of processes.all) process.end({ code: 0, signal: null, reason: null })
  await closing
  expect(processes.all).toHaveLength(3)
  expect(processes.all.map(({ killed }) => killed)).toEqual([false, false, false])
  expect(lost).toEqual([])
})

it('lets the workers leave the port when one of them waits for connections, and none has come', async () => {
  const { supervisor, processes } = await supervise()
  for (const process of processes.all) process.connections = null
  const closing = supervisor.close(1_000)
  const turns = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  const left = () => processes.all.map(process => process.left)
  await turns()
  expect(processes.all.map(({ stopped }) => stopped)).toEqual([true, true, true])
  expect(left()).toEqual([false, false, false])
  const [, free] = processes.all
  if (free) free.connections = 3
  while (!left().every(Boolean)) await turns()
  for (const process of processes.all) process.end({ code: 0, signal: null, reason: null })
  await closing
})

it('ends all workers when one of the first cannot start, with its reason', async () => {
  const { all, start } = createProcesses()
  const failing = () => {
    const process = start()
    if (all.length === 2) Object.assign(process, { listening: Promise.reject(new Error('no such model')) })
    return process
  }
  await expect(supervise({ start: failing })).rejects.toThrow('no such model')
  expect(all.map(({ killed }) => killed)).toEqual([true, true, true])
})
