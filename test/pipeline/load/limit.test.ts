import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLimit } from '../../../src/pipeline/load/limit.ts'

const SLOW_MS = 1_000

/** A limit on a clock of its own, in a process that is as busy as told. */
function open(busy = 1) {
  const clock = { ms: 0, busy }
  const limit = createLimit({ slowMs: SLOW_MS, now: () => clock.ms, measureBusy: () => () => clock.busy })
  /** Fills every place and ends all requests after this time. */
  const wave = (ms: number) => {
    const running: (() => void)[] = []
    for (let leave = limit.enter(); leave !== null; leave = limit.enter()) running.push(leave)
    clock.ms += ms
    for (const leave of running) leave()
    return running.length
  }
  return { limit, wave, clock }
}

describe('the limit of requests at a time', () => {
  it('gives no more places than it has, whatever happens', () => {
    const steps = fc.array(fc.record({ enter: fc.boolean(), ms: fc.nat(3_000), busy: fc.constantFrom(0, 1) }))
    fc.assert(
      fc.property(steps, taken => {
        const { limit, clock } = open()
        const running: (() => void)[] = []
        for (const { enter, ms, busy } of taken) {
          Object.assign(clock, { ms: clock.ms + ms, busy })
          if (enter) {
            const free = limit.running < limit.places
            const leave = limit.enter()
            expect(leave !== null).toBe(free)
            if (leave) running.push(leave)
          } else running.shift()?.()
          expect(limit.running).toBe(running.length)
          expect(limit.places).toBeGreaterThanOrEqual(8)
          expect(limit.places).toBeLessThanOrEqual(256)
        }
      }),
    )
  })

  it.each([
    [1.25, 0.8],
    [1.6, 0.625],
    [40, 0.5],
  ])(
    'takes back places once for each generation of requests that take %d times as long as they should',
    (times, share) => {
      const { limit, wave } = open()
      const first = limit.places
      wave(SLOW_MS * times)
      expect(limit.places).toBe(Math.floor(first * share))
      for (let i = 0; i < 50; i++) wave(SLOW_MS * times)
      expect(limit.places).toBe(8)
    },
  )

  it('soon gives more places when another server is slow', () => {
    const { limit, wave } = open(0.5)
    for (let i = 0; i < 8; i++) wave(60_000)
    expect(limit.places).toBeGreaterThan(100)
  })

  it('gives a few more places when those of a busy process are in use and no request is slow', () => {
    const { limit, wave } = open()
    const first = limit.places
    limit.enter()?.()
    expect(limit.places).toBe(first)
    for (let i = 0; i < 4; i++) wave(10)
    expect(limit.places - first).toBeGreaterThanOrEqual(1)
    expect(limit.places - first).toBeLessThanOrEqual(4)
    for (let i = 0; i < 1_000; i++) wave(10)
    expect(limit.places).toBe(256)
  })

  it('knows the recent time of a request', () => {
    const { limit, wave } = open()
    for (let i = 0; i < 20; i++) wave(40)
    expect(limit.recentMs).toBeCloseTo(40, 0)
  })
})
