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
        const waiting: number[] = []
        const admission = createAdmission(limit, length => void waiting.push(length))
        const started: number[] = []
        const work = Array.from({ length: requests }, () => deferred<number>())
        const answers = work.map((one, index) =>
          admission.run(null, noDeadline(), () => {
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
        expect(Math.max(0, ...waiting)).toBe(Math.max(0, requests - places))
        expect(waiting.at(-1) ?? 0).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('serves tenants in turns: one request waits behind at most one of each other tenant', async () => {
    const admission = createAdmission(fixedLimit(1))
    const held = deferred<void>()
    const served: string[] = []
    const ask = (tenant: string | null, name: string) =>
      admission.run(tenant, noDeadline(), async () => void served.push(name))
    const answers = [admission.run('a', noDeadline(), () => held.promise)]
    for (let i = 0; i < 50; i++) answers.push(ask('a', `a${i}`))
    answers.push(ask('b', 'b0'), ask(null, 'open'), ask('b', 'b1'), ask('c', 'c0'))
    held.resolve()
    await Promise.all(answers)
    expect(served.slice(0, 6)).toEqual(['a0', 'b0', 'open', 'c0', 'a1', 'b1'])
    expect(served).toHaveLength(54)
    expect(served.filter(name => name.startsWith('a'))).toEqual(Array.from({ length: 50 }, (_, i) => `a${i}`))
  })

  it('refuses what a tenant itself makes late, and not what another one does', async () => {
    const admission = createAdmission(fixedLimit(1, 1_000))
    const held = deferred<void>()
    const answers = [admission.run('a', noDeadline(), () => held.promise)]
    const ask = (tenant: string) => admission.run(tenant, startDeadline(NEVER, 600_000), async () => tenant)
    const flood = Array.from({ length: 400 }, () =>
      ask('a').then(
        () => 'served',
        () => 'refused',
      ),
    )
    const other = [ask('b'), ask('b')]
    held.resolve()
    const ended = await Promise.all(flood)
    expect(ended.filter(end => end === 'served')).toHaveLength(299)
    expect(ended.slice(0, 299)).not.toContain('refused')
    expect(await Promise.all(other)).toEqual(['b', 'b'])
    await Promise.all(answers)
  })

  it('keeps the order and the count when clients leave while they wait', async () => {
    const requests = fc.array(fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), leaves: fc.boolean() }), {
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(requests, async asked => {
        const limit = fixedLimit(1)
        const admission = createAdmission(limit)
        const held = deferred<void>()
        const first = admission.run('z', noDeadline(), () => held.promise)
        const served: number[] = []
        const answers = asked.map(({ tenant, leaves }, at) => {
          const client = new AbortController()
          const deadline = startDeadline(client.signal, 600_000)
          const answer = admission
            .run(tenant, deadline, async () => void served.push(at))
            .catch(() => 'left')
            .finally(() => deadline.dispose())
          return { answer, leave: () => leaves && client.abort() }
        })
        for (const { leave } of answers) leave()
        held.resolve()
        await first
        const ends = await Promise.all(answers.map(({ answer }) => answer))
        expect(ends.map(end => end === 'left')).toEqual(asked.map(({ leaves }) => leaves))
        expect(served).toEqual(inTurns(asked))
        expect([limit.running, admission.isCrowded('a')]).toEqual([0, false])
      }),
      { numRuns: 100 },
    )
  })

  it('is crowded while a request waits', async () => {
    const admission = createAdmission(fixedLimit(1))
    const [first, second] = [deferred<void>(), deferred<void>()]
    const answers = [admission.run(null, noDeadline(), () => first.promise)]
    expect(admission.isCrowded(null)).toBe(false)
    answers.push(admission.run(null, noDeadline(), () => second.promise))
    expect(admission.isCrowded(null)).toBe(true)
    expect(admission.isCrowded('another tenant')).toBe(false)
    first.resolve()
    await answers[0]
    expect(admission.isCrowded(null)).toBe(false)
    second.resolve()
    await answers[1]
  })

  it('frees the place of work that fails', async () => {
    const limit = fixedLimit(1)
    const admission = createAdmission(limit)
    await expect(admission.run(null, noDeadline(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await admission.run(null, noDeadline(), async () => 'next')).toBe('next')
  })

  it('refuses at once what would wait longer than half of its time, and says how long to wait', async () => {
    const admission = createAdmission(fixedLimit(1, 4_000))
    const held = deferred<void>()
    const first = admission.run(null, noDeadline(), () => held.promise)
    const refused = admission.run(null, startDeadline(NEVER, 6_000), async () => 'never')
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', details: { retry_after: 4 } })
    const patient = admission.run(null, startDeadline(NEVER, 600_000), async () => 'in time')
    held.resolve()
    await first
    expect(await patient).toBe('in time')
  })

  it('refuses what has waited for half of its time', async () => {
    const admission = createAdmission(fixedLimit(1))
    const held = deferred<void>()
    const first = admission.run(null, noDeadline(), () => held.promise)
    const late = admission.run(null, startDeadline(NEVER, 50), async () => 'never')
    await expect(late).rejects.toBeInstanceOf(StowageError)
    held.resolve()
    await first
    expect(await admission.run(null, noDeadline(), async () => 'next')).toBe('next')
  })

  it('forgets a client that went away', async () => {
    const admission = createAdmission(fixedLimit(1))
    const held = deferred<void>()
    const client = new AbortController()
    const first = admission.run(null, noDeadline(), () => held.promise)
    const gone = admission.run(null, startDeadline(client.signal, 600_000), async () => 'never')
    client.abort()
    await expect(gone).rejects.toThrow()
    held.resolve()
    await first
  })

  it('counts the shares of the steps from the end of the wait', async () => {
    const admission = createAdmission(fixedLimit(1))
    const whole = startDeadline(NEVER, 1_000)
    const { rest, whole: left } = await admission.run(null, whole, async deadline => ({
      rest: deadline.part(0.4).remainingMs(),
      whole: whole.remainingMs(),
    }))
    expect(rest).toBeLessThanOrEqual(left)
    expect(rest).toBeGreaterThan(0)
  })
})

/** The places of the requests that stay, in the order of service: rounds over the tenants, in the order of their first request. */
function inTurns(asked: { tenant: string; leaves: boolean }[]): number[] {
  const tenants = [...new Set(asked.map(({ tenant }) => tenant))]
  const own = tenants.map(name => [...asked.keys()].filter(at => asked[at]?.tenant === name && !asked[at]?.leaves))
  return [...asked.keys()].flatMap(round => own.flatMap(places => places[round] ?? []))
}
