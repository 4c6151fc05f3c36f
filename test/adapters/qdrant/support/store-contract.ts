import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PassageStore, SearchRequest, StoreCall } from '../../../../src/core/ports.ts'
import type { RetrievedHit, RetrievedList } from '../../../../src/core/types.ts'
import { pending } from '../../../support/query-vectors.ts'
import { createNaiveStore, type StoredCollection, type StoredPoint } from './naive-store.ts'

export const call: StoreCall = { apiKey: null, condition: null, signal: new AbortController().signal }

/** Sixty passages of six documents for two tenants; every eleventh has no dense vector, every seventh no sparse one. */
export const passages: StoredCollection = {
  name: 'passages of déjà vu',
  size: 6,
  points: Array.from({ length: 60 }, (_, i): StoredPoint => {
    const draw = (salt: number) => ((Math.imul(i + 1, 2654435761) >>> (salt * 3)) % 97) / 97 - 0.4
    const terms = Array.from({ length: 1 + (i % 5) }, (_, t) => (i * (t + 3) + t * t) % 23)
    const indices = [...new Set(terms)].sort((a, b) => a - b)
    return {
      id: i % 2 === 0 ? i + 1 : `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      dense: i % 11 === 4 ? null : Array.from({ length: 6 }, (_, d) => draw(d) + i * 1e-4),
      sparse: i % 7 === 6 ? null : { indices, values: indices.map((_, at) => 1 + ((i + at) % 10) / 10 + i * 1e-3) },
      payload: {
        doc_id: `doc${i % 6}`,
        order_index: Math.floor(i / 6),
        text: `passage ${i}`,
        tenant: i % 3 === 0 ? 'acme' : 'zeta',
      },
    }
  }),
}

const acme = { must: [{ key: 'tenant', match: { value: 'acme' } }] }

function request(over: Partial<SearchRequest>): SearchRequest {
  const dense = [0.3, -0.2, 0.5, 0.1, 0.4, -0.1]
  const sparse = { indices: [2, 5, 11, 17], values: [1, 1, 1, 1] }
  return { collection: passages.name, filter: null, dense, sparse, limit: 10, withVectors: false, ...over }
}

/** Equal scores down the list; a server counts in single precision. */
function expectSameScores(hits: RetrievedHit[], expected: RetrievedHit[]): void {
  expect(hits).toHaveLength(expected.length)
  for (const [index, hit] of hits.entries()) expect(hit.score).toBeCloseTo(expected[index]?.score ?? Number.NaN, 4)
}

function byId(hits: RetrievedHit[]): RetrievedHit[] {
  return [...hits].sort((a, b) => (String(a.chunk.id) < String(b.chunk.id) ? -1 : 1))
}

function listOf(lists: RetrievedList[], source: string): RetrievedList {
  const found = lists.find(list => list.source === source)
  if (!found) throw new Error(`no ${source} list`)
  return found
}

/** What every `PassageStore` must do. `open` fills a store with the passages above. */
export function passageStoreContract(
  name: string,
  open: () => Promise<{ store: PassageStore; close(): Promise<void> }>,
): void {
  describe(`${name} as a PassageStore`, () => {
    let store: PassageStore
    let close: () => Promise<void>
    beforeAll(async () => {
      ;({ store, close } = await open())
    })
    afterAll(() => close())

    it('gives both lists, best first, with the chunk of every hit', async () => {
      const { lists, missing } = await store.search(request({}), call)
      expect(missing).toEqual([])
      expect(lists.map(list => [list.source, list.kind])).toEqual([
        ['dense', 'dense'],
        ['keyword', 'keyword'],
      ])
      expect(listOf(lists, 'keyword').hits).toHaveLength(10)
      for (const { hits } of lists) {
        for (const [index, hit] of hits.entries()) {
          expect(hit.chunk).toMatchObject({ collection: passages.name, text: expect.stringMatching(/^passage /) })
          expect(hit.score).toBeLessThanOrEqual(hits[index - 1]?.score ?? Number.POSITIVE_INFINITY)
          expect(hit.vector).toBeUndefined()
        }
      }
    })

    it('knows the dense score of every keyword hit that has a dense vector', async () => {
      const { lists } = await store.search(request({ limit: 7 }), call)
      const scored = new Set(listOf(lists, 'dense').hits.map(hit => hit.chunk.id))
      const withVector = new Set(passages.points.filter(point => point.dense).map(point => point.id))
      const expected = listOf(lists, 'keyword').hits.filter(hit => withVector.has(hit.chunk.id as number | string))
      expect(expected.length).toBeGreaterThan(3)
      for (const hit of expected) expect(scored).toContain(hit.chunk.id)
      expect(scored.size).toBe(listOf(lists, 'dense').hits.length)
      expect(scored.size).toBeGreaterThan(7)
    })

    it('keeps the filter in every list, the dense scores of keyword hits included', async () => {
      const { lists } = await store.search(request({ filter: acme, limit: 30 }), call)
      const own = new Set(passages.points.filter(point => point.payload.tenant === 'acme').map(point => point.id))
      for (const { hits } of lists) {
        expect(hits.length).toBeGreaterThan(5)
        for (const hit of hits) expect(own).toContain(hit.chunk.id)
      }
    })

    it('searches some documents alone, within the filter', async () => {
      const documents = ['doc1', 'doc4', 'no such document']
      const all = await store.search(request({ documents, limit: 30 }), call)
      for (const { hits } of all.lists)
        expect(new Set(hits.map(({ chunk }) => chunk.docId))).toEqual(new Set(['doc1', 'doc4']))
      const own = await store.search(request({ documents: ['doc0', 'doc1'], filter: acme, limit: 30 }), call)
      for (const { hits } of own.lists) expect(new Set(hits.map(({ chunk }) => chunk.docId))).toEqual(new Set(['doc0']))
      expect(
        (await store.search(request({ documents: ['no such document'] }), call)).lists.flatMap(list => list.hits),
      ).toEqual([])
    })

    it('asks for one list alone', async () => {
      const dense = await store.search(request({ sparse: null, limit: 4 }), call)
      expect(dense.lists.map(list => [list.source, list.hits.length])).toEqual([['dense', 4]])
      const keyword = await store.search(request({ dense: null, limit: 4 }), call)
      expect(keyword.lists.map(list => [list.source, list.hits.length])).toEqual([['keyword', 4]])
      expect((await store.search(request({ dense: null, sparse: null }), call)).lists).toEqual([])
    })

    it('gives the same lists when the query vector comes later', async () => {
      const vector = Array.from(request({}).dense as number[])
      const later = await store.search(request({ dense: pending(vector, vector.length) }), call)
      expect(later).toEqual(await store.search(request({ dense: Float32Array.from(vector) }), call))
    })

    it('gives the keyword list alone when the query vector never comes', async () => {
      const { lists, missing } = await store.search(request({ dense: pending(null, passages.size) }), call)
      expect(missing).toEqual([])
      expect(lists).toEqual((await store.search(request({ dense: null }), call)).lists)
    })

    it('leaves out a dense list of another dimension and says so', async () => {
      const { lists, missing } = await store.search(request({ dense: [1, 2, 3] }), call)
      expect(lists.map(list => list.source)).toEqual(['keyword'])
      expect(missing).toEqual([expect.stringMatching(/^dense: /)])
    })

    it('brings unit vectors when asked, to keyword hits too', async () => {
      const { lists } = await store.search(request({ withVectors: true }), call)
      for (const { hits } of lists) {
        const vectors = hits.flatMap(hit => (hit.vector ? [hit.vector] : []))
        expect(vectors.length).toBeGreaterThan(5)
        for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }
      for (const hit of listOf(lists, 'dense').hits) expect(hit.vector).toHaveLength(passages.size)
    })

    it('fetches the passages that are at the given places, and no other', async () => {
      const places = [
        { docId: 'doc1', orderIndex: 3 },
        { docId: 'doc1', orderIndex: 4 },
        { docId: 'doc5', orderIndex: 0 },
        { docId: 'doc5', orderIndex: 999 },
        { docId: 'no such document', orderIndex: 0 },
      ]
      const chunks = await store.fetchPlaces(passages.name, places, null, call)
      expect(chunks.map(chunk => `${chunk.docId}/${chunk.orderIndex}`).sort()).toEqual(['doc1/3', 'doc1/4', 'doc5/0'])
      for (const chunk of chunks) expect(chunk.text).toMatch(/^passage /)
      expect(await store.fetchPlaces(passages.name, [], null, call)).toEqual([])
    })

    it('keeps the filter when it fetches places', async () => {
      const places = Array.from({ length: 10 }, (_, orderIndex) => ({ docId: 'doc3', orderIndex }))
      const all = await store.fetchPlaces(passages.name, places, null, call)
      const own = await store.fetchPlaces(passages.name, places, acme, call)
      expect(all).toHaveLength(10)
      expect(own.map(chunk => chunk.id)).toEqual(
        passages.points
          .filter(({ payload }) => payload.doc_id === 'doc3' && payload.tenant === 'acme')
          .map(({ id }) => id),
      )
    })

    it('says which collection does not exist', async () => {
      const failure = await store.search(request({ collection: 'nowhere' }), call).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        name: 'StowageError',
        code: 'collection_not_found',
        message: expect.stringContaining('nowhere'),
      })
    })

    it('agrees with the naive reading on any query', async () => {
      const oracle = createNaiveStore(passages)
      const value = fc.integer({ min: -100, max: 100 }).map(n => n / 100)
      const dense = fc.array(value, { minLength: 6, maxLength: 6 }).filter(vector => vector.some(x => x !== 0))
      const terms = fc.uniqueArray(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(
          dense,
          terms,
          fc.constantFrom(null, acme),
          fc.integer({ min: 1, max: 70 }),
          fc.constantFrom(undefined, ['doc2'], ['doc0', 'doc5']),
          async (vector, indices, filter, limit, documents) => {
            const sparse = { indices, values: indices.map((_, i) => 1 + i) }
            const asked = request({ dense: vector, sparse, filter, limit, ...(documents && { documents }) })
            const [got, expected] = await Promise.all([store.search(asked, call), oracle.search(asked, call)])
            for (const source of ['dense', 'keyword']) {
              const [mine, naive] = [listOf(got.lists, source).hits, listOf(expected.lists, source).hits]
              // Where scores tie at the cut either passage may be in: passages are compared where nothing is cut.
              expectSameScores(mine, naive)
              if (limit < passages.points.length) continue
              expect(byId(mine).map(hit => hit.chunk)).toEqual(byId(naive).map(hit => hit.chunk))
              expectSameScores(byId(mine), byId(naive))
            }
          },
        ),
        { numRuns: 60 },
      )
    })
  })
}
