import { describe, expect, test } from 'vitest'
import { createLane } from '../../../src/adapters/shared/lane.ts'
import { deferred } from '../../support/deferred.ts'

const never = () => new Promise<never>(() => {})

/** A lane whose timers the test runs. */
function openLane() {
  const timers: { ms: number; run: () => void; stopped: boolean }[] = []
  const changes: (string | null)[] = []
  const probes: ReturnType<typeof deferred<unknown>>[] = []
  const clock = { ms: 0 }
  const lane = createLane({
    timeoutMs: 50,
    now: () => clock.ms,
    probe: () => {
      const probe = deferred<unknown>()
      probes.push(probe)
      return probe.promise
    },
    onChange: error => changes.push(error?.message ?? null),
    startTimer: (ms, run) => {
      const timer = { ms, run, stopped: false }
      timers.push(timer)
      return () => {
        timer.stopped = true
      }
    },
  })
  /** Runs the newest timer of so many milliseconds. */
  const passes = (ms: number) => timers.findLast(timer => timer.ms === ms && !timer.stopped)?.run()
  return { lane, timers, changes, probes, passes, clock }
}

const nextTurns = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))

describe('a lane', () => {
  test('passes results on while it is open', async () => {
    const { lane, changes } = openLane()
    expect(await lane.run(async () => 7)).toEqual({ outcome: 'done', value: 7 })
    expect(changes).toEqual([])
  })

  test('closes at the first error, asks nothing while it is closed, and opens after a probe', async () => {
    const { lane, changes, probes, passes } = openLane()
    expect(await lane.run(async () => Promise.reject(new Error('broken')))).toEqual({ outcome: 'failed' })
    let asked = 0
    for (let i = 0; i < 3; i++) {
      expect(
        await lane.run(async () => {
          asked++
        }),
      ).toEqual({ outcome: 'skipped' })
    }
    expect([asked, changes, lane.fault?.message]).toEqual([0, ['broken'], 'broken'])
    passes(100)
    probes[0]?.resolve(null)
    await nextTurns()
    expect([changes, lane.fault]).toEqual([['broken', null], null])
    expect(await lane.run(async () => 1)).toMatchObject({ outcome: 'done' })
  })

  test('closes once for many callers of a store that hangs, and probes it more and more seldom', async () => {
    const { lane, timers, changes, probes, passes } = openLane()
    const waiting = Array.from({ length: 20 }, () => lane.run(never))
    for (const { run } of timers.filter(({ ms }) => ms === 50)) run()
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ outcome: 'failed' })))
    expect(changes).toEqual(['no answer within 50 ms'])
    for (const pause of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
      passes(pause)
      passes(50)
      await nextTurns()
    }
    expect(probes).toHaveLength(8)
    expect(changes).toHaveLength(1)
  })

  test('is probed more and more seldom when it closes again and again, and as at first after a calm minute', async () => {
    const { lane, timers, probes, passes, clock } = openLane()
    const pauses = async () => {
      await lane.run(async () => Promise.reject(new Error('broken')))
      const { ms = 0 } = timers.findLast(({ stopped }) => !stopped) ?? {}
      passes(ms)
      probes.at(-1)?.resolve(null)
      await nextTurns()
      return ms
    }
    expect([await pauses(), await pauses(), await pauses()]).toEqual([100, 200, 400])
    clock.ms += 60_001
    expect([await pauses(), await pauses()]).toEqual([100, 200])
  })

  test('takes an answer that has come while this process was busy', async () => {
    const { lane, passes } = openLane()
    const answer = deferred<string>()
    const running = lane.run(() => answer.promise)
    passes(50)
    answer.resolve('late, but there')
    expect(await running).toEqual({ outcome: 'done', value: 'late, but there' })
  })

  test('reports nothing after its end', async () => {
    const { lane, changes, timers } = openLane()
    const running = lane.run(async () => Promise.reject(new Error('broken')))
    lane.end()
    await running
    expect(changes).toEqual([])
    expect(timers.every(({ stopped }) => stopped)).toBe(true)
  })
})
