import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Background, beginAnswering } from '../../src/pipeline/pacing/background.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { overlapOf } from '../../src/rollout/shadow/overlap.ts'
import { createShadowQueue, SHADOW_LIFE_MS } from '../../src/rollout/shadow/queue.ts'
import { deferred } from '../support/deferred.ts'
import { sampleTrace } from '../support/sample-trace.ts'

const OWNER = { tenant: null, apiKey: 'k' }
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

function openQueue() {
  const ran: string[] = []
  const lengths: number[] = []
  const recorded: Trace[] = []
  const timers = new Set<() => void>()
  let time = 0
  const queue = createShadowQueue({
    traces: { record: trace => void recorded.push(trace) },
    onRan: ({ outcome, overlap }) => void ran.push(overlap === null ? outcome : `${outcome} ${overlap}`),
    onQueued: ({ length }) => void lengths.push(length),
    now: () => time,
    startTimer: (milliseconds, run) => {
      expect(milliseconds).toBe(SHADOW_LIFE_MS)
      timers.add(run)
      return () => void timers.delete(run)
    },
  })
  const passLife = () => {
    time += SHADOW_LIFE_MS
    for (const run of [...timers]) run()
  }
  const control = sampleTrace()
  const offer = (run: (background: Background) => Promise<Trace>) => queue.offer({ control, owner: OWNER, run })
  return { ...queue, offer, ran, lengths, recorded, timers, passLife, control }
}

describe('the queue of shadow runs', () => {
  it('runs two at a time, keeps 32 waiting, and drops and counts the others', async () => {
    const { offer, ran, lengths, recorded, timers } = openQueue()
    const gate = deferred<void>()
    let running = 0
    let most = 0
    for (let i = 0; i < 50; i++) {
      offer(async () => {
        most = Math.max(most, ++running)
        await gate.promise
        running--
        return sampleTrace()
      })
    }
    await turns(20)
    expect([running, ran.length, lengths.at(-1)]).toEqual([2, 16, 34])
    gate.resolve()
    await turns(300)
    expect(most).toBe(2)
    expect(ran).toEqual([...Array(16).fill('dropped'), ...Array(34).fill('compared 1')])
    expect([recorded.length, lengths.at(-1), timers.size]).toEqual([34, 0, 0])
  })

  it('counts a run that fails or hangs, aborts it at the end of its time, and drops those behind it', async () => {
    const { offer, ran, recorded, passLife } = openQueue()
    offer(() => Promise.reject(new Error('broken')))
    await turns(20)
    expect(ran).toEqual(['failed'])
    const signals: AbortSignal[] = []
    const hang = ({ signal }: Background) => {
      signals.push(signal)
      return new Promise<Trace>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    for (let i = 0; i < 3; i++) offer(hang)
    await turns(20)
    expect(signals).toHaveLength(2)
    passLife()
    await turns(20)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(ran).toEqual(['failed', 'failed', 'failed', 'dropped'])
    offer(async () => sampleTrace())
    await turns(20)
    expect([ran.at(-1), recorded.length]).toEqual(['compared 1', 1])
  })

  it('drops one that found no quiet moment', async () => {
    const { offer, ran, passLife } = openQueue()
    const ended = beginAnswering()
    offer(async () => sampleTrace())
    await turns(20)
    passLife()
    ended()
    await turns(20)
    expect(ran).toEqual(['dropped'])
  })

  it('never runs more than two, even when they ignore their signal', async () => {
    const { offer, ran, recorded, passLife } = openQueue()
    const gates = [deferred<Trace>(), deferred<Trace>()]
    for (const { promise } of gates) offer(() => promise)
    await turns(20)
    passLife()
    offer(async () => sampleTrace())
    await turns(20)
    expect(ran).toEqual(['failed', 'failed'])
    for (const { resolve } of gates) resolve(sampleTrace())
    await turns(20)
    // What comes after its time is up is neither stored nor counted again.
    expect([ran, recorded.length]).toEqual([['failed', 'failed', 'compared 1'], 1])
  })

  it('closes at once: what waits is dropped, what runs is aborted, and nothing is stored afterwards', async () => {
    const { offer, close, ran, recorded, timers } = openQueue()
    const gate = deferred<Trace>()
    const signals: AbortSignal[] = []
    for (let i = 0; i < 5; i++) {
      offer(({ signal }) => {
        signals.push(signal)
        return gate.promise
      })
    }
    await turns(20)
    close()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    gate.resolve(sampleTrace())
    offer(async () => sampleTrace())
    await turns(20)
    expect([signals.length, ran, recorded, timers.size]).toEqual([2, [], [], 0])
  })
})

it('the overlap is the Jaccard index of the packed chunks', () => {
  const [candidate] = sampleTrace().candidates
  if (candidate === undefined) throw new Error('the sample has no candidate')
  const ids = fc.uniqueArray(fc.oneof(fc.nat(9), fc.nat(9).map(String)), { maxLength: 8 })
  const packed = (list: (number | string)[], dropped: (number | string)[]) => ({
    candidates: [
      ...list.map(id => ({ ...candidate, id, decision: 'packed' as const })),
      ...dropped.map(id => ({ ...candidate, id, decision: 'dropped' as const })),
    ],
  })
  fc.assert(
    fc.property(ids, ids, ids, (ours, theirs, dropped) => {
      const both = ours.filter(id => theirs.includes(id)).length
      const either = ours.length + theirs.filter(id => !ours.includes(id)).length
      const expected = either === 0 ? null : both / either
      expect(overlapOf(packed(ours, dropped), packed(theirs, []))).toBe(expected)
    }),
  )
})
