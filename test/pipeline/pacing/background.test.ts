import { describe, expect, it } from 'vitest'
import type { RerankRequest } from '../../../src/core/ports.ts'
import { Background, beginAnswering } from '../../../src/pipeline/pacing/background.ts'
import { nextTurn } from '../../../src/pipeline/pacing/turns.ts'

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

describe('work in the background', () => {
  it('goes on only while no request is ranked or packed, and none waits for its turn', async () => {
    const background = new Background(new AbortController().signal)
    const ends = [beginAnswering(), beginAnswering()]
    let went = false
    const turn = background.turn().then(() => {
      went = true
    })
    await turns(20)
    ends[0]?.()
    await turns(20)
    expect(went).toBe(false)
    const crowd = Promise.all(Array.from({ length: 5 }, () => nextTurn(null)))
    ends[1]?.()
    await crowd
    await turn
    expect(went).toBe(true)
  })

  it('has a clock and deadlines that stand still while it waits', async () => {
    let time = 0
    const timers: { at: number; run: () => void }[] = []
    const advance = (milliseconds: number) => {
      time += milliseconds
      for (const timer of timers.splice(0)) timer.at <= time ? timer.run() : timers.push(timer)
    }
    const startTimer = (milliseconds: number, run: () => void) => {
      const timer = { at: time + milliseconds, run }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    }
    const background = new Background(new AbortController().signal, { now: () => time, startTimer })
    const deadline = background.deadline(100)
    const part = deadline.part(0.5)
    advance(30)
    const ended = beginAnswering()
    const turn = background.turn()
    await turns(2)
    advance(1_000)
    expect([background.now(), deadline.remainingMs(), part.signal.aborted]).toEqual([30, 70, false])
    ended()
    await turn
    expect([background.now(), background.waitedMs, deadline.remainingMs()]).toEqual([30, 1_000, 70])
    advance(20)
    expect([part.signal.aborted, deadline.signal.aborted]).toEqual([true, false])
    advance(50)
    expect(deadline.signal.aborted).toBe(true)
  })

  it('ends at its signal, also while it waits', async () => {
    const ended = beginAnswering()
    const controller = new AbortController()
    const background = new Background(controller.signal)
    const turn = background.turn()
    await turns(2)
    controller.abort(new Error('over'))
    await expect(turn).rejects.toThrow('over')
    await expect(background.turn()).rejects.toThrow('over')
    ended()
  })

  it('scores a few passages at a time with workers, and lets requests of clients go first', async () => {
    const calls: string[][] = []
    let endOfAnswer = () => {}
    const reranker = {
      model: 'fake',
      expectedWaitMs: () => 0,
      rerank: async ({ passages }: RerankRequest) => {
        calls.push(passages)
        endOfAnswer = beginAnswering()
        return { scores: passages.map(Number), cached: 1 }
      },
      close: async () => {},
    }
    const passages = Array.from({ length: 10 }, (_, at) => String(at))
    const { signal } = new AbortController()
    const result = new Background(signal).rerankerOf(reranker).rerank({ query: 'q', passages, signal })
    for (const length of [4, 4, 2]) {
      await turns(20)
      expect(calls.at(-1)).toHaveLength(length)
      endOfAnswer()
    }
    expect(await result).toEqual({ scores: passages.map(Number), cached: 3 })
    expect(calls.flat()).toEqual(passages)
  })
})
