import { afterEach, describe, expect, it, vi } from 'vitest'
import { createWorkerPool, type WorkerPool } from '../../../src/adapters/models/workers/pool.ts'
import { workerModule } from '../../../src/core/work/worker-module.ts'
import { MODEL_MS } from '../../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

type Pool = WorkerPool<string, string, string>
const script = workerModule('support/crashing-worker', import.meta.url)
const opened: Pool[] = []

async function open(size = 2, data: unknown = null): Promise<Pool> {
  const pool = await createWorkerPool<string, string, string>({ script, data, size })
  opened.push(pool)
  return pool
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(pool => pool.close()))
})

describe('the worker pool', () => {
  it('answers every job in its place, over more calls than workers', async () => {
    const pool = await open()
    expect(pool.details).toBe('details')
    const calls = [0, 1, 2, 3, 4].map(call => Array.from({ length: 40 }, (_, job) => `${call}/${job}`))
    const answers = await Promise.all(calls.map(jobs => pool.run(jobs)))
    expect(answers.map(answer => answer.results)).toEqual(calls.map(jobs => jobs.map(job => `${job}!`)))
  })

  it('bounds the heap of each worker, so that garbage does not wait for long', async () => {
    const { results } = await (await open(1)).run(['limits'])
    const { maxYoungGenerationSizeMb, maxOldGenerationSizeMb } = JSON.parse(results[0] ?? '{}')
    expect(maxYoungGenerationSizeMb).toBeLessThanOrEqual(16)
    expect(maxOldGenerationSizeMb).toBeLessThanOrEqual(512)
  })

  it('takes turns: a short call is not kept waiting by a long one', async () => {
    const pool = await open(1)
    let longDone = false
    const long = pool.run(Array.from({ length: 60 }, () => 'slow')).then(() => {
      longDone = true
    })
    await pool.run(['a', 'b', 'c'])
    expect(longDone).toBe(false)
    await long
  })

  it('takes turns between tenants: many calls of one do not keep a call of another waiting', async () => {
    const pool = await open(1)
    let ended = 0
    const flood = Array.from({ length: 20 }, () =>
      pool.run(['slow', 'slow', 'slow'], { tenant: 'a' }).then(() => {
        ended++
      }),
    )
    // The first call of the flood is at the worker already. Of the others, one job goes before each of the other tenant.
    await pool.run(['slow', 'slow', 'slow'], { tenant: 'b' })
    expect(ended).toBeLessThanOrEqual(1)
    await Promise.all(flood)
  })

  it('expects a wait for the own jobs of a tenant, and for no more jobs of another', async () => {
    const pool = await open(1)
    const controller = new AbortController()
    const flood = pool.run(
      Array.from({ length: 200 }, () => 'slow'),
      { tenant: 'a', signal: controller.signal },
    )
    const [flooding, other] = [pool.expectedWaitMs('a'), pool.expectedWaitMs('b')]
    // Two jobs are at the worker, and one waits before the first of another tenant.
    expect(other).toBeCloseTo((flooding * 3) / 200, 6)
    const few = pool.run(['slow', 'slow', 'slow'], { tenant: 'b', signal: controller.signal })
    expect(pool.expectedWaitMs('b')).toBeCloseTo((flooding * (2 + 3 + 4)) / 200, 6)
    expect(pool.waiting()).toBe(198 + 3)
    expect(pool.expectedWaitMs('a')).toBeCloseTo((flooding * (200 + 3)) / 200, 6)
    controller.abort()
    await Promise.all([flood, few])
    expect(pool.waiting()).toBe(0)
    expect(pool.expectedWaitMs('b')).toBeLessThanOrEqual((flooding * 2) / 200)
  })

  it('expects a wait for the jobs that are not done, and none for those that nobody waits for', async () => {
    const pool = await open(1)
    expect(pool.expectedWaitMs()).toBe(0)
    const controller = new AbortController()
    const long = pool.run(
      Array.from({ length: 100 }, () => 'slow'),
      { signal: controller.signal },
    )
    const behindLong = pool.expectedWaitMs()
    const short = pool.run(['a'])
    expect(pool.expectedWaitMs()).toBeGreaterThan(behindLong)
    controller.abort()
    await long
    expect(pool.expectedWaitMs()).toBeLessThan(behindLong / 2)
    await short
    await pool.run(['slow', 'slow', 'slow'])
    expect(pool.expectedWaitMs()).toBe(0)
  })

  it('gives what it has when the signal comes, in the order of the jobs, and is free at once', async () => {
    const pool = await open(1)
    const controller = new AbortController()
    const run = pool.run(['a', 'b', 'slow', 'hang', 'never', 'never'], { signal: controller.signal })
    await pool.run(['slow'])
    controller.abort()
    const { results } = await run
    expect(results.slice(0, 2)).toEqual(['a!', 'b!'])
    expect(results.slice(3)).toEqual([null, null, null])
  })

  it('leaves a failed job out, and rejects when all failed', async () => {
    const pool = await open()
    const { results, lastError } = await pool.run(['a', 'throw', 'b'])
    expect([results, lastError]).toEqual([['a!', null, 'b!'], 'thrown on command'])
    await expect(pool.run(['throw', 'throw'])).rejects.toThrow(/thrown on command/)
    expect((await pool.run(['c'])).results).toEqual(['c!'])
  })

  it('replaces a worker that dies, and the call loses what that worker had', async () => {
    const pool = await open()
    const jobs = ['die', ...Array.from({ length: 30 }, (_, job) => `${job}`)]
    const { results } = await pool.run(jobs)
    expect(results[0]).toBeNull()
    const lost = results.filter(result => result === null).length
    expect(lost).toBeLessThanOrEqual(2)
    for (const [at, result] of results.entries()) expect(result === null || result === `${jobs[at]}!`).toBe(true)
    await expect(pool.run(['die'])).rejects.toThrow(/code: 3/)
    expect((await pool.run(['after'])).results).toEqual(['after!'])
  })

  it('ends no worker that is still loading, because that aborts the process', async () => {
    const loaded = new Int32Array(new SharedArrayBuffer(8))
    await expect(open(2, loaded)).rejects.toThrow('refused to start')
    expect(loaded[1]).toBe(1)
  })

  it('rejects with the worker’s own words when it cannot start', async () => {
    await expect(open(2, 'refuse')).rejects.toThrow('refused to start')
  })

  it('closes with calls under way, once and for all', async () => {
    const pool = await open(1)
    const run = pool.run(['slow', 'slow', 'slow', 'slow'])
    await pool.close()
    expect((await run).results.at(-1)).toBeNull()
    await expect(pool.run(['a'])).rejects.toThrow(/closed/)
    await pool.close()
  })
})
