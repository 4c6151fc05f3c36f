import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type PacingOptions, paced } from '../../../src/adapters/contexts/pacing.ts'
import type { AskModel, ModelReply } from '../../../src/contexts/model-writer.ts'
import { countTokens } from '../../contexts/support/requests.ts'

const REPLY: ModelReply = { text: 'x', usage: { input: 1, cached: 0, cacheWritten: 0, output: 1 }, cutOff: false }
const OPTIONS: PacingOptions = { concurrency: 10, requestsPerMinute: null, tokensPerMinute: null, countTokens }
const { signal } = new AbortController()
const short = (name: string) => ({ prefix: name, suffix: '' })
const long = (name: string) => ({ prefix: name.padEnd(4_000), suffix: '' })
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

afterEach(() => void vi.restoreAllMocks())

/** A model that takes some turns of the event loop, and fails when told. */
function slowModel(turns: () => number, fails: (prefix: string) => boolean = () => false) {
  const seen = { inFlight: 0, most: 0, events: [] as string[] }
  const ask: AskModel = async ({ prefix }) => {
    const name = prefix.trim()
    seen.most = Math.max(seen.most, ++seen.inFlight)
    seen.events.push(`${name} begins`)
    for (let left = turns(); left > 0; left--) await turn()
    seen.inFlight--
    seen.events.push(`${name} ends`)
    if (fails(name)) throw new Error('failed')
    return REPLY
  }
  return { ask, seen }
}

describe('paced calls', () => {
  it('are never more at a time than the limit, and all end, whichever fail or are aborted', async () => {
    const call = fc.record({ document: fc.integer({ min: 0, max: 4 }), abort: fc.boolean(), turns: fc.nat(3) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (calls, concurrency) => {
          let at = 0
          const { ask, seen } = slowModel(
            () => calls[at++ % calls.length]?.turns ?? 0,
            name => name === 'd1',
          )
          const pace = paced(ask, { ...OPTIONS, concurrency })
          const ended = calls.map(async ({ document, abort, turns }) => {
            const controller = new AbortController()
            const asked = pace(long(`d${document}`), controller.signal)
            if (abort) {
              await Promise.race([turn(), asked.catch(() => {})])
              for (let left = turns; left > 0; left--) await turn()
              controller.abort(new Error('ended'))
            }
            return asked.then(
              () => true,
              () => false,
            )
          })
          const results = await Promise.all(ended)
          expect(seen.most).toBeLessThanOrEqual(concurrency)
          expect(seen.inFlight).toBe(0)
          for (const [index, { document, abort }] of calls.entries())
            if (!abort) expect(results[index]).toBe(document !== 1)
          // No turn is lost: the next calls pass.
          await Promise.all(Array.from({ length: concurrency }, (_, index) => pace(short(`s${index}`), signal)))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('begin alone for each document, and together once it is in the cache', async () => {
    const { ask, seen } = slowModel(() => 2)
    const pace = paced(ask, OPTIONS)
    await Promise.all(['a', 'a', 'b', 'a', 'b'].map(name => pace(long(name), signal)))
    expect(seen.events.slice(0, 2)).toEqual(['a begins', 'b begins'])
    for (const name of ['a', 'b']) {
      const own = seen.events.filter(event => event.startsWith(name))
      expect(own.slice(0, 3)).toEqual([`${name} begins`, `${name} ends`, `${name} begins`])
    }
    expect(seen.events.filter(event => event.startsWith('a')).slice(2, 4)).toEqual(['a begins', 'a begins'])
    // In the cache: all at once.
    seen.events.length = 0
    await Promise.all([pace(long('a'), signal), pace(long('a'), signal)])
    expect(seen.events.slice(0, 2)).toEqual(['a begins', 'a begins'])
    // Too short for a cache.
    seen.events.length = 0
    await Promise.all([pace(short('c'), signal), pace(short('c'), signal)])
    expect(seen.events.slice(0, 2)).toEqual(['c begins', 'c begins'])
  })

  it('let the next one begin alone when the first one failed', async () => {
    let failures = 1
    const { ask, seen } = slowModel(
      () => 1,
      () => failures-- > 0,
    )
    const pace = paced(ask, OPTIONS)
    const settled = await Promise.allSettled(['a', 'a', 'a', 'a'].map(name => pace(long(name), signal)))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
    expect(seen.events.slice(0, 4)).toEqual(['a begins', 'a ends', 'a begins', 'a ends'])
    expect(seen.most).toBe(2)
  })

  it.each([
    ['requests', { requestsPerMinute: 3 }, [0, 0, 0, 60_000, 60_000, 60_000, 120_000]],
    // Each call is 1 + 0 tokens and 150 for the answer.
    ['tokens', { tokensPerMinute: 400 }, [0, 0, 60_000, 60_000, 120_000, 120_000, 180_000]],
    [
      'tokens, less than one call needs',
      { tokensPerMinute: 100 },
      [0, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000],
    ],
  ])('keep a limit of %s per minute, by the clock', async (_what, limits, times) => {
    let now = 1_000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const began: number[] = []
    const ask: AskModel = async () => {
      began.push(now - 1_000)
      return REPLY
    }
    const sleep = async (milliseconds: number) => {
      await turn()
      now += milliseconds
    }
    const pace = paced(ask, { ...OPTIONS, ...limits, sleep })
    await Promise.all(times.map(() => pace(short('a'), signal)))
    expect(began).toEqual(times)
  })

  it('end at an abort while they wait for a limit, and the next ones go on', async () => {
    let release = () => {}
    const sleep = (_milliseconds: number, aborted: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        release = resolve
        aborted.addEventListener('abort', () => reject(aborted.reason), { once: true })
      })
    let now = 1_000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const pace = paced(async () => REPLY, { ...OPTIONS, requestsPerMinute: 1, sleep })
    await pace(short('a'), signal)
    const controller = new AbortController()
    const aborted = pace(short('b'), controller.signal)
    const next = pace(short('c'), signal)
    await turn()
    controller.abort(new Error('ended'))
    await expect(aborted).rejects.toThrow('ended')
    await turn()
    now += 60_000
    release()
    expect(await next).toBe(REPLY)
  })
})
