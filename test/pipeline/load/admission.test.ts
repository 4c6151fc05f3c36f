import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { noDeadline, startDeadline } from '../../../src/pipeline/deadline.ts'
import { createAdmission } from '../../../src/pipeline/load/admission.ts'
import type { Limit } from '../../../src/pipeline/load/limit.ts'
import { deferred } from '../../support/deferred.ts'

/** A limit of this many places that learns nothing. */
function fixedLimit(places: number, recentMs = 1): Limit {
  let running = 0
  return {
    places,
    recentMs,
    get running() {
      return running
    },
    enter() {
      if (running >= places) return null
      running++
      return () => {
        running--
      }
    },
  }
}

const NEVER = new AbortController().signal

describe('admission', () => {
  it('runs as many at a time as there are places, in the order of arrival, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 30 }), async (places, requests) => {
        const limit = fixedLimit(places)
        const admission = createAdmission(limit)
        const started: number[] = []
        const work = Array.from({ length: requests }, () => deferred<number>())
        const answers = work.map((one, index) =>
          admission.run(noDeadline(), () => {
            started.push(index)
            expect(limit.running).toBeLessThanOrEqual(places)
            return one.promise
          }),
        )
        for (const [index, one] of work.entries()) {
          one.resolve(index)
          await answers[index]
        }
        expect(await Promise.all(answers)).toEqual(work.map((_, index) => index))
        expect(started).toEqual(work.map((_, index) => index))
        expect(limit.running).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('is crowded while a request waits', async () => {
    const admission = createAdmission(fixedLimit(1))
    const [first, second] = [deferred<void>(), deferred<void>()]
    const answers = [admission.run(noDeadline(), () => first.promise)]
    expect(admission.crowded).toBe(false)
    answers.push(admission.run(noDeadline(), () => second.promise))
    expect(admission.crowded).toBe(true)
    first.resolve()
    await answers[0]
    expect(admission.crowded).toBe(false)
    second.resolve()
    await answers[1]
  })

  it('frees the place of work that fails', async () => {
    const limit = fixedLimit(1)
    const admission = createAdmission(limit)
    await expect(admission.run(noDeadline(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await admission.run(noDeadline(), async () => 'next')).toBe('next')
  })

  it('refuses at once what would wait longer than half of its time, and says how long to wait', async () => {
    const admission = createAdmission(fixedLimit(1, 4_000))
    const held = deferred<void>()
    const first = admission.run(noDeadline(), () => held.promise)
    const refused = admission.run(startDeadline(NEVER, 6_000), async () => 'never')
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', details: { retry_after: 4 } })
    const patient = admission.run(startDeadline(NEVER, 600_000), async () => 'in time')
    held.resolve()
    await first
    expect(await patient).toBe('in time')
  })

  it('refuses what has waited for half of its time', async () => {
    const admission = createAdmission(fixedLimit(1))
    const held = deferred<void>()
    const first = admission.run(noDeadline(), () => held.promise)
    const late = admission.run(startDeadline(NEVER, 50), async () => 'never')
    await expect(late).rejects.toBeInstanceOf(StowageError)
    held.resolve()
    await first
    expect(await admission.run(noDeadline(), async () => 'next')).toBe('next')
  })

  it('forgets a client that went away', async () => {
    const admission = createAdmission(fixedLimit(1))
    const held = deferred<void>()
    const client = new AbortController()
    const first = admission.run(noDeadline(), () => held.promise)
    const gone = admission.run(startDeadline(client.signal, 600_000), async () => 'never')
    client.abort()
    await expect(gone).rejects.toThrow()
    held.resolve()
    await first
  })

  it('counts the shares of the steps from the end of the wait', async () => {
    const admission = createAdmission(fixedLimit(1))
    const whole = startDeadline(NEVER, 1_000)
    const { rest, whole: left } = await admission.run(whole, async deadline => ({
      rest: deadline.part(0.4).remainingMs(),
      whole: whole.remainingMs(),
    }))
    expect(rest).toBeLessThanOrEqual(left)
    expect(rest).toBeGreaterThan(0)
  })
})
