import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { killWhenHung } from '../../src/cluster/hang-watch.ts'
import { createLine } from '../../src/cluster/line.ts'
import type { Listening } from '../../src/cluster/topics.ts'
import type { WorkerEnd, WorkerProcess } from '../../src/cluster/worker-process.ts'
import { deferred } from '../support/deferred.ts'

const HANG_MS = 10_000
const STARTING_MS = 300_000
const LISTENING: Listening = { url: 'u', description: {}, warnings: [], canReload: false, ownAddress: null }

/** A watched worker, and a clock that only the test moves. */
function watched(hangMs = HANG_MS) {
  const carrier = new EventEmitter()
  const [listening, ended] = [deferred<Listening>(), deferred<WorkerEnd>()]
  let [time, kills] = [0, 0]
  let look: (() => void) | null = null
  const hung: { pid: number; silentMs: number }[] = []
  const worker: WorkerProcess = {
    ...{ line: createLine(carrier), pid: 7, listening: listening.promise, ended: ended.promise },
    onMessage: listener => void carrier.on('message', listener),
    connections: null,
    stop() {},
    leavePort() {},
    kill: () => void kills++,
  }
  killWhenHung(worker, {
    hangMs,
    onHung: event => hung.push(event),
    now: () => time,
    repeat: given => {
      look = given
      return () => (look = null)
    },
  })
  return {
    hung,
    kills: () => kills,
    isWatched: () => look !== null,
    /** The primary looks after so many milliseconds. */
    pass(milliseconds: number) {
      time += milliseconds
      look?.()
    },
    beat: () => carrier.emit('message', { stowage: 'question', id: null, topic: 'beat', body: null }),
    listen: async () => listening.resolve(LISTENING),
    end: async () => ended.resolve({ code: 0, signal: null, reason: null }),
  }
}

it('kills a worker once, when it was silent for the limit while the primary itself went on', async () => {
  const event = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
    // The primary, or the whole machine, pauses.
    { weight: 1, arbitrary: fc.integer({ min: 1_001, max: 10_000_000 }) },
    { weight: 1, arbitrary: fc.constant('beat' as const) },
  )
  const run = async (events: readonly (number | 'beat')[], hangMs: number) => {
    const one = watched(hangMs)
    await one.listen()
    let silent: number[] = []
    for (const event of events) {
      if (event === 'beat') one.beat()
      else one.pass(event)
      silent = event === 'beat' ? [] : [...silent, Math.min(event, 1_000)]
      const silentMs = silent.reduce((sum, part) => sum + part, 0)
      if (silentMs >= hangMs) {
        expect(one.hung).toEqual([{ pid: 7, silentMs }])
        expect([one.kills(), one.isWatched()]).toEqual([1, false])
        return
      }
      expect([one.hung, one.kills()]).toEqual([[], 0])
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(event, { maxLength: 60 }), fc.integer({ min: 2_000, max: HANG_MS }), run))
})

it('keeps a worker that is silent for just less than the limit, again and again', async () => {
  const one = watched()
  await one.listen()
  for (let round = 0; round < 5; round++) {
    for (let look = 0; look < 19; look++) one.pass(500)
    one.pass(499)
    one.beat()
  }
  expect(one.kills()).toBe(0)
  for (let look = 0; look < 20; look++) one.pass(500)
  expect(one.hung).toEqual([{ pid: 7, silentMs: HANG_MS }])
})

it('gives a worker that does not listen yet five minutes between two messages', async () => {
  const one = watched()
  for (let look = 0; look < STARTING_MS / 500 - 1; look++) one.pass(500)
  expect(one.kills()).toBe(0)
  one.pass(500)
  expect(one.hung).toEqual([{ pid: 7, silentMs: STARTING_MS }])
})

it('ends with the worker', async () => {
  const one = watched()
  expect(one.isWatched()).toBe(true)
  await one.end()
  expect(one.isWatched()).toBe(false)
})
