import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk, fill } from '../support/points.ts'
import { send } from '../support/send.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const CHUNKS = 5
const POINTS = 40
const COPIES = 3

/** Neighbouring chunks of eight documents, with texts that share nothing; the last ones are copies of the first. */
const points = Array.from({ length: POINTS + COPIES }, (_, index) => {
  const text = Array.from({ length: 12 }, (_, word) => `word${(index % POINTS) * 12 + word}`).join(' ')
  const isCopy = index >= POINTS
  return {
    ...chunk(index + 1, text, { doc_id: `doc-${Math.floor(index / CHUNKS)}`, order_index: index % CHUNKS }),
    dense: [0, 1, 2, 3].map(axis => Math.sin(index * 1.3 + axis * 2.1) + (isCopy ? 2 : 0)),
  }
})

let engine: EmbeddedServer
let stowage: Stowage
beforeAll(async () => {
  engine = await startEmbeddedServer()
  stowage = await openStowage({ QDRANT_URL: engine.url })
  await fill(engine.url, 'docs', points.slice(0, POINTS))
  await fill(engine.url, 'copies', points)
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
})

interface Answer {
  result: { points: { id: number; score: number }[] }
}
const ask = async (url: string, collection: string, body: object) =>
  (await send<Answer>(url, 'POST', `/collections/${collection}/points/query?timeout=600`, body)).json.result.points

const vector = fc.nat(10_000).map(seed => [0, 1, 2, 3].map(axis => Math.sin(seed * 0.37 + axis * 1.7)))
const prefetch = fc.record({ query: vector, using: fc.constant('dense'), limit: fc.integer({ min: 1, max: 20 }) })
const query = fc.oneof(
  fc.record({ query: vector, using: fc.constant('dense') }),
  fc.record({
    prefetch: fc.array(prefetch, { minLength: 2, maxLength: 3 }),
    query: fc.record({ fusion: fc.constantFrom('rrf', 'dbsf') }),
  }),
)

describe('without a question', () => {
  it('the points and their scores are those of Qdrant, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 12 }), async (body, limit) => {
        const [direct, improved] = await Promise.all([
          ask(engine.url, 'docs', { ...body, limit: POINTS }),
          ask(stowage.url, 'docs', { ...body, limit }),
        ])
        const own = new Map(direct.map(({ id, score }) => [id, score]))
        const wanted = direct.slice(0, limit)
        // Behind the points that Qdrant gives there can be more, from deeper lists than the client asked for.
        const found = improved.slice(0, wanted.length)
        expect(found.map(({ score }) => score)).toEqual(wanted.map(({ score }) => score))
        for (const { id, score } of found) expect(own.get(id)).toBe(score)
        // In a fusion, points with equal scores may change places.
        if (!('prefetch' in body)) expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
      }),
      { numRuns: 60 },
    )
  })

  it('points with equal scores keep their places', async () => {
    const tied = Array.from({ length: 30 }, (_, index) => ({
      ...chunk(index + 1, `Berth ${'abcdefghij'[index % 10]}${index} has room for a ship.`, { doc_id: `doc-${index}` }),
      dense: [1, index % 3, 0, 0],
    }))
    await fill(engine.url, 'tied', tied)
    for (const using of [
      [1, 0, 0, 0],
      [0, 0, 0, 1],
    ]) {
      const body = { query: using, using: 'dense', limit: 12 }
      expect(await ask(stowage.url, 'tied', body)).toMatchObject(await ask(engine.url, 'tied', body))
    }
  })

  it('points longer than the budget of a context keep their places', async () => {
    const mixed = points.slice(0, 20).map((point, index) => {
      const { text } = point.payload
      return index % 2 === 0 ? { ...point, payload: { ...point.payload, text: `${text} `.repeat(600) } } : point
    })
    await fill(engine.url, 'long', mixed)
    const body = { query: points[2]?.dense ?? [], using: 'dense', limit: 8 }
    expect(await ask(stowage.url, 'long', body)).toMatchObject(await ask(engine.url, 'long', body))
  })

  it('the best of two copies stays, whatever else is in their documents', async () => {
    const text = (at: number) => Array.from({ length: 12 }, (_, word) => `berth${at}x${word}`).join(' ')
    await fill(engine.url, 'two-copies', [
      { ...chunk(1, text(0), { doc_id: 'one' }), dense: [1, 0, 0, 0] },
      ...[0, 1, 2, 3, 4].map(at => ({
        ...chunk(2 + at, text(at), { doc_id: 'other', order_index: at }),
        dense: [1, 0.01 + at / 20, 0, 0],
      })),
    ])
    const found = await ask(stowage.url, 'two-copies', { query: [1, 0, 0, 0], using: 'dense', limit: 6 })
    expect(found.map(({ id }) => id)).toEqual([1, 3, 4, 5, 6, 2])
  })

  it('only copies give way', async () => {
    const body = { query: points[0]?.dense ?? [], using: 'dense', limit: POINTS + COPIES }
    const [direct, improved] = await Promise.all([
      ask(engine.url, 'copies', body),
      ask(stowage.url, 'copies', { ...body, limit: 10 }),
    ])
    const textOf = (id: number) => points[id - 1]?.payload.text
    const seen = new Set<unknown>()
    const firsts = direct.filter(({ id }) => !seen.has(textOf(id)) && seen.add(textOf(id)))
    expect(improved.map(({ id }) => id)).toEqual(firsts.slice(0, 10).map(({ id }) => id))
  })
})
