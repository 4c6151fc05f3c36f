import { describe, expect, test, vi } from 'vitest'
import { createCachedReranker } from '../../../src/adapters/models/cached-reranker.ts'
import type { SharedStore } from '../../../src/core/shared-store.ts'
import { createInProcessStore } from '../../support/in-process-store.ts'
import { breakable, openReplica } from './support/replica.ts'

/** Waits until a replica has written so many values of a kind. */
async function written({ used }: ReturnType<typeof openReplica>, kind: string, count: number): Promise<void> {
  const writes = () => used.filter(use => use.operation === 'write' && use.kind === kind)
  await vi.waitFor(() => expect(writes().length).toBeGreaterThanOrEqual(count), { interval: 1 })
}

describe('a session', () => {
  test('goes on at another replica, with the turns of both', async () => {
    const store = createInProcessStore()
    const [a, b] = [openReplica(store), openReplica(store)]
    a.sessions.remember('s', ['x', 'y'])
    await written(a, 'sessions', 1)
    expect(await b.sessions.turnsOf('s')).toEqual(new Map([['x', 1], ['y', 1]])) // biome-ignore format: a table
    b.sessions.remember('s', ['y', 'z'])
    await written(b, 'sessions', 1)
    expect(await a.sessions.turnsOf('s')).toEqual(new Map([['x', 1], ['y', 1], ['z', 2]])) // biome-ignore format: a table
    expect(await a.sessions.turnsOf('other')).toEqual(new Map())
    expect(await a.sessions.turnsOf(null)).toEqual(new Map())
  })

  test('goes on in this process when the store is away', async () => {
    const { store, state } = breakable(createInProcessStore())
    const a = openReplica(store)
    state.isAway = true
    a.sessions.remember('s', ['x'])
    expect(await a.sessions.turnsOf('s')).toEqual(new Map([['x', 1]]))
    await a.close()
  })
})

describe('the scores of a reranker', () => {
  function openReranker(store: SharedStore) {
    const replica = openReplica(store)
    const asked: string[] = []
    const reranker = createCachedReranker({
      model: 'm',
      sharedScores: replica.scores,
      score: async (_query, passages) => {
        asked.push(...passages)
        return passages.map(passage => (passage === 'late' ? null : passage.length / 100))
      },
      close: async () => {},
    })
    const rerank = (passages: string[], tenant: string | null = null) =>
      reranker.rerank({ query: 'q', passages, signal: new AbortController().signal, tenant })
    return { rerank, asked, replica }
  }

  test('are computed once for all replicas, and added to', async () => {
    const store = createInProcessStore()
    const [a, b] = [openReranker(store), openReranker(store)]
    expect(await a.rerank(['one', 'three', 'late'])).toEqual({ scores: [0.03, 0.05, null], cached: 0 })
    await written(a.replica, 'pairs', 1)
    expect(await b.rerank(['three', 'seven!!', 'one'])).toEqual({ scores: [0.05, 0.07, 0.03], cached: 2 })
    expect(b.asked).toEqual(['seven!!'])
    await written(b.replica, 'pairs', 1)
    const c = openReranker(store)
    expect((await c.rerank(['one', 'three', 'seven!!'])).cached).toBe(3)
    expect((await openReranker(store).rerank(['one'], 'tenant')).cached).toBe(0)
  })

  test('are not asked for when this process knows all', async () => {
    const { store, state } = breakable(createInProcessStore())
    const a = openReranker(store)
    await a.rerank(['one'])
    await written(a.replica, 'pairs', 1)
    const { calls } = state
    expect((await a.rerank(['one'])).cached).toBe(1)
    expect(state.calls).toBe(calls)
  })

  test.each(['7', '{"x":2}', '[]', '{"__proto__":1}'])('that are %s are ignored', async text => {
    const store = createInProcessStore()
    const replica = openReplica(store)
    const key = replica.values.key('pairs', [1, 'm', null, 'q'])
    await store.setMany([{ key, value: Buffer.from(`\0${text}`), ttlMs: 60_000 }])
    expect((await openReranker(store).rerank(['one', '__proto__'])).scores).toEqual([0.03, 0.09])
  })
})

describe('the question of a vector', () => {
  const vector = (seed: number) => Array.from({ length: 128 }, (_, at) => Math.sin(seed * (at + 1)))

  test('is found at another replica by its values, and when it was cut and scaled', async () => {
    const store = createInProcessStore()
    const [a, b] = [openReplica(store), openReplica(store)]
    a.questions.remember('open', vector(1), 'why?')
    await written(a, 'questions', 1)
    expect(await b.questions.find(['key', 'open'], vector(1))).toEqual({ text: 'why?', result: 'exact' })
    const cut = vector(1).slice(0, 100).map(value => value * 3) // biome-ignore format: one step
    expect(await b.questions.find(['open'], cut)).toEqual({ text: 'why?', result: 'direction' })
    expect(await b.questions.find(['open'], vector(2))).toMatchObject({ text: null, result: 'unknown' })
    expect(await b.questions.find(['key'], vector(1))).toMatchObject({ text: null, result: 'unknown' })
    for (const useless of [[], [0, 0], [Number.NaN]])
      expect(await b.questions.find(['open'], useless)).toMatchObject({ result: 'unknown' })
  })

  test('that stands for different questions is none, wherever they were asked', async () => {
    const store = createInProcessStore()
    const [a, b] = [openReplica(store), openReplica(store)]
    a.questions.remember('open', vector(1), 'why?')
    await written(a, 'questions', 1)
    b.questions.remember('open', vector(1), 'WHY?')
    await written(b, 'questions', 1)
    expect(await a.questions.find(['open'], vector(1))).toMatchObject({ text: 'WHY?' })
    b.questions.remember('open', vector(1), 'why not?')
    b.questions.remember('open', vector(1), 'why not?')
    await written(b, 'questions', 3)
    for (const find of [vector(1), vector(1).slice(0, 90)])
      expect(await a.questions.find(['open'], find)).toMatchObject({ text: null, result: 'ambiguous' })
  })
})
