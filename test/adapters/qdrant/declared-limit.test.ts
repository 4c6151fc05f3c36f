import { expect, it, onTestFinished, vi } from 'vitest'
import { createDeclaredLimit } from '../../../src/adapters/qdrant/declared-limit.ts'

const LIMITED = { config: { strict_mode_config: { enabled: true, read_rate_limit: 20 } } }

it('asks once for each key, so that a key that may not look changes nothing for others', async () => {
  const asked: unknown[] = []
  const isDeclared = createDeclaredLimit({
    read: async ({ apiKey }) => {
      asked.push(apiKey)
      if (apiKey === 'narrow') throw new Error('forbidden')
      return LIMITED
    },
  })
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await isDeclared('docs', 'narrow')).toBe(null)
    expect(await isDeclared('docs', 'wide')).toBe(true)
  }
  expect(asked).toEqual(['narrow', 'wide'])
})

it('asks again ten seconds after a look without an answer, and a minute after one with an answer', async () => {
  let now = 0
  // The cache keeps the time for one timer of a millisecond.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => {
    vi.useRealTimers()
    clock.mockRestore()
  })
  let looks = 0
  const isDeclared = createDeclaredLimit({
    read: async () => {
      looks += 1
      if (looks === 1) throw new Error('too late')
      return {}
    },
  })
  const lookAfter = async (milliseconds: number) => {
    now += milliseconds
    vi.advanceTimersByTime(milliseconds)
    return [await isDeclared('docs', null), looks]
  }
  expect(await lookAfter(1)).toEqual([null, 1])
  expect(await lookAfter(10_000)).toEqual([null, 1])
  expect(await lookAfter(1)).toEqual([false, 2])
  expect(await lookAfter(60_000)).toEqual([false, 2])
  expect(await lookAfter(1)).toEqual([false, 3])
})
