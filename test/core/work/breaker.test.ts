import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Attempt, Breaker, type Verdict } from '../../../src/core/work/breaker.ts'

function openBreaker() {
  const clock = { now: 0 }
  const changes: [paused: boolean, askedMs?: number][] = []
  const breaker = new Breaker({
    now: () => clock.now,
    mostBad: 3,
    firstPauseMs: 100,
    longestPauseMs: 800,
    onChange: (...change) => void changes.push(change),
  })
  return { clock, changes, breaker }
}

describe('a pause that somebody asks for', () => {
  it('is as long as that, and ends with a good probe', () => {
    const { clock, changes, breaker } = openBreaker()
    breaker.pauseFor(5_000)
    clock.now = 4_999
    expect(breaker.admit()).toBeNull()
    clock.now = 5_000
    breaker.admit()?.settle('good')
    expect(breaker.paused).toBe(false)
    expect(changes.map(([paused, askedMs]) => [paused, askedMs])).toEqual([
      [true, 5_000],
      [false, undefined],
    ])
  })

  it('takes no account of a probe that runs', () => {
    const { clock, breaker } = openBreaker()
    breaker.pauseFor(100)
    clock.now = 100
    const probe = breaker.admit()
    breaker.pauseFor(50)
    probe?.settle('good')
    expect(breaker.paused).toBe(true)
    clock.now = 150
    expect(breaker.admit()).not.toBeNull()
  })

  it('leaves the next pause as long as it would have been', () => {
    const { clock, breaker } = openBreaker()
    breaker.pauseFor(60_000)
    clock.now = 60_000
    breaker.admit()?.settle('bad')
    clock.now += 199
    expect(breaker.admits).toBe(false)
    clock.now += 1
    expect(breaker.admits).toBe(true)
  })

  type Step = { kind: 'wait' | 'pause'; ms: number } | { kind: 'admit' } | { kind: 'settle'; at: number; as: Verdict }
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constantFrom('wait' as const, 'pause' as const), ms: fc.nat(1_000) }),
    fc.record({ kind: fc.constant('admit' as const) }),
    fc.record({
      kind: fc.constant('settle' as const),
      at: fc.nat(9),
      as: fc.constantFrom<Verdict>('good', 'bad', 'broken', 'unknown'),
    }),
  )

  it('admits nothing before its end, never shortens a pause, and is told once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const { clock, changes, breaker } = openBreaker()
        const attempts: Attempt[] = []
        let blockedUntil = 0
        for (const each of steps) {
          if (each.kind === 'wait') clock.now += each.ms
          else if (each.kind === 'settle') attempts[each.at]?.settle(each.as)
          else if (each.kind === 'admit') {
            const attempt = breaker.admit()
            if (attempt !== null) attempts.unshift(attempt)
            expect(attempt === null || clock.now >= blockedUntil).toBe(true)
          } else {
            breaker.pauseFor(each.ms)
            blockedUntil = Math.max(blockedUntil, clock.now + each.ms)
            expect(breaker.paused).toBe(true)
          }
        }
        expect(changes.map(([paused]) => paused)).toEqual(changes.map((_, at) => at % 2 === 0))
        expect(breaker.paused).toBe(changes.length % 2 === 1)
      }),
    )
  })
})
