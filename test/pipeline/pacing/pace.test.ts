import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TimeUp } from '../../../src/core/steps.ts'
import { Pace } from '../../../src/pipeline/pacing/pace.ts'

const never = new AbortController().signal

/** Counts the turns of the event loop while `work` runs. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let ended = false
  const count = () => {
    if (ended) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  await work()
  ended = true
  return turns
}

describe('pace', () => {
  it('gives the event loop a turn after every eight milliseconds of steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 200 }), async costs => {
        let clock = 0
        let sliceStart = 0
        let longest = 0
        const pace = new Pace(never, { now: () => clock })
        let turns = 0
        let lastTurns = 0
        let ended = false
        const count = () => {
          turns++
          if (!ended) setImmediate(count)
        }
        setImmediate(count)
        function* steps() {
          for (const cost of costs) {
            if (turns !== lastTurns) sliceStart = clock
            lastTurns = turns
            clock += cost
            longest = Math.max(longest, clock - sliceStart)
            yield
          }
          return 'done'
        }
        expect(await pace.run(steps(), 0)).toBe('done')
        ended = true
        expect(longest).toBeLessThanOrEqual(8 + 5)
      }),
    )
  })

  it('lets one of several requests go on in each turn', async () => {
    let clock = 0
    function* steps(count: number) {
      for (let step = 0; step < count; step++) {
        clock += 10
        yield
      }
    }
    const turns = await turnsDuring(() =>
      Promise.all(Array.from({ length: 5 }, () => new Pace(never, { now: () => clock }).run(steps(6), 0))),
    )
    expect(turns).toBeGreaterThanOrEqual(5 * 6 - 5)
  })

  it('gives tenants turns: many requests of one do not make one of another wait longer', async () => {
    let clock = 0
    const order: string[] = []
    const run = (tenant: string, name: string) => {
      function* steps() {
        for (let step = 0; step < 4; step++) {
          clock += 10
          order.push(name)
          yield
        }
      }
      return new Pace(never, { tenant, now: () => clock }).run(steps(), 0)
    }
    const flood = Array.from({ length: 20 }, (_, at) => run('a', `a${at}`))
    await Promise.all([...flood, run('b', 'b')])
    const before = order.slice(0, order.lastIndexOf('b'))
    // The first step of the flood runs at once, then one of each tenant in turn.
    expect(before.filter(name => name !== 'b').length).toBeLessThanOrEqual(1 + 4)
  })

  it('gives the turn to the tenant that had the least time, so short work does not wait for long work', async () => {
    let clock = 0
    const order: string[] = []
    function* steps(name: string, count: number, ms: number) {
      for (let step = 0; step < count; step++) {
        clock += ms
        order.push(name)
        yield
      }
    }
    const pace = (tenant: string) => new Pace(never, { tenant, now: () => clock })
    const flood = Array.from({ length: 10 }, () => pace('long').run(steps('long', 20, 10), 0))
    const short = async () => {
      for (let stage = 0; stage < 15; stage++) await pace('short').run(steps('short', 1, 1), 0)
    }
    await Promise.all([...flood, short()])
    const before = order.slice(0, order.lastIndexOf('short'))
    expect(before.filter(name => name === 'short')).toHaveLength(14)
    // The long work begins, and then waits for the short one. Turn by turn, a step of it would run before each stage.
    expect(before.filter(name => name === 'long').length).toBeLessThanOrEqual(3)
    await Promise.all(flood)
    expect(order.filter(name => name === 'long')).toHaveLength(200)
  })

  it('lets nobody wait for ever, whatever the others ask', async () => {
    const tenants = fc.array(fc.constantFrom('p', 'q', 'r', null), { minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(tenants, fc.integer({ min: 0, max: 30 }), async (names, ms) => {
        let clock = 0
        function* steps() {
          for (let step = 0; step < 5; step++) {
            clock += ms
            yield
          }
          return 'done'
        }
        const runs = names.map(tenant => new Pace(never, { tenant, now: () => clock }).run(steps(), 0))
        expect(new Set(await Promise.all(runs))).toEqual(new Set(['done']))
      }),
      { numRuns: 50 },
    )
  })

  it('throws TimeUp once after the deadline, and not before the grace is over', async () => {
    for (const graceMs of [0, 7, 20]) {
      let clock = 0
      const told: number[] = []
      function* steps() {
        for (let step = 0; step < 50; step++) {
          clock++
          try {
            yield
          } catch (error) {
            expect(error).toBeInstanceOf(TimeUp)
            told.push(clock)
          }
        }
        return clock
      }
      expect(await new Pace(AbortSignal.abort(), { now: () => clock }).run(steps(), graceMs)).toBe(50)
      expect(told).toEqual([Math.max(1, graceMs)])
    }
  })

  it('rejects when the steps do not catch it', async () => {
    function* steps() {
      yield
      return 1
    }
    await expect(new Pace(AbortSignal.abort()).run(steps(), 0)).rejects.toBeInstanceOf(TimeUp)
  })
})
