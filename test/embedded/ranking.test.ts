import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PointId } from '../../src/core/types.ts'
import { TopHits } from '../../src/embedded/query/top-hits.ts'
import { scrollPoints } from '../../src/embedded/reads/points.ts'
import { queryPoints } from '../../src/embedded/reads/search.ts'
import type { Collection } from '../../src/embedded/storage/collection.ts'
import type { Float } from '../../src/embedded/wire/json.ts'
import { collectionOf } from './support/collection.ts'

/** Compares rankings with full sorts. */

const number = fc.integer({ min: -4, max: 4 })
const denseVector = fc.array(number, { minLength: 3, maxLength: 3 })
const sparseVector = fc.dictionary(
  fc.integer({ min: 0, max: 6 }).map(String),
  number.filter(n => n !== 0),
  {
    maxKeys: 4,
    noNullPrototype: true,
  },
)
type SparseMap = { [dimension: string]: number }

/** Writes and removals in any order; a later write of an id replaces the earlier. */
const writes = fc.array(
  fc.record({
    id: fc.integer({ min: 0, max: 12 }),
    dense: fc.option(denseVector, { nil: undefined }),
    sparse: fc.option(sparseVector, { nil: undefined }),
    remove: fc.boolean().map(flag => flag),
  }),
  { minLength: 1, maxLength: 40 },
)

describe('nearest points', () => {
  it.each(['Dot', 'Euclid', 'Cosine'] as const)('by %s are those of a full sort', async distance => {
    await fc.assert(
      fc.asyncProperty(
        writes,
        denseVector,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 3 }),
        async (log, query, limit, offset) => {
          const { collection, alive } = await replay(log, distance)
          const ascending = distance === 'Euclid'
          const scored = [...alive].flatMap(([id, { dense }]) =>
            dense === undefined ? [] : [{ id, score: similarity(distance, query, dense) }],
          )
          const request = { query, using: 'dense', limit, offset }
          await expectRanking(collection, request, scored, ascending)
        },
      ),
    )
  })

  it('by a sparse vector with idf are those of a full sort', async () => {
    await fc.assert(
      fc.asyncProperty(writes, sparseVector, fc.integer({ min: 1, max: 8 }), async (log, query, limit) => {
        const { collection, alive } = await replay(log, 'Dot')
        const stored = [...alive].flatMap(([id, { sparse }]) => (sparse === undefined ? [] : [{ id, sparse }]))
        const weight = (dimension: string) => {
          const frequency = stored.filter(({ sparse }) => Object.hasOwn(sparse, dimension)).length
          return Math.log((stored.length - frequency + 0.5) / (frequency + 0.5) + 1)
        }
        const scored = stored.flatMap(({ id, sparse }) => {
          const shared = Object.keys(query).filter(dimension => Object.hasOwn(sparse, dimension))
          if (shared.length === 0) return []
          const score = shared.reduce((sum, d) => sum + Math.fround((query[d] ?? 0) * weight(d)) * (sparse[d] ?? 0), 0)
          return [{ id, score }]
        })
        await expectRanking(collection, { query: sparseShape(query), using: 'words', limit }, scored, false)
      }),
    )
  })
})

describe('order', () => {
  it('of the best hits is that of a full sort by value and id, ties at the cut included', () => {
    const offers = fc.array(fc.record({ value: fc.integer({ min: 0, max: 3 }), skip: fc.boolean() }), {
      minLength: 150,
      maxLength: 400,
      size: 'max',
    })
    fc.assert(
      fc.property(offers, fc.integer({ min: 1, max: 20 }), (rows, limit) => {
        // Descending ids, so that points arrive in the wrong order.
        const points = rows.map(({ value }, row) => ({ id: 1000 - row, value }))
        const accept = (id: PointId) => rows[1000 - Number(id)]?.skip === false
        const sorted = points.filter(({ id }) => accept(id)).sort((x, y) => y.value - x.value || x.id - y.id)
        const top = new TopHits(limit, accept)
        for (const { id, value } of points) top.offer(id, value)
        expect(top.best()).toEqual(sorted.slice(0, limit))
      }),
      { numRuns: 500 },
    )
  })

  it('of a scroll is by id at any time, numbers before UUIDs', async () => {
    const uuid = (n: number) => `0b5c8e1a-0000-4f00-9a00-${String(n).padStart(12, '0')}`
    const id = fc.oneof(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 9 }).map(uuid),
      fc.constant(2n ** 64n - 1n),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ id, remove: fc.boolean() })), async log => {
        const { engine, collection } = await collectionOf({ vectors: {} })
        const alive = new Set<unknown>()
        for (const { id, remove } of log) {
          await engine.update('c', remove ? 'delete' : 'upsert', { points: remove ? [id] : [{ id, vector: {} }] })
          if (remove) alive.delete(id)
          else alive.add(id)
          const { points } = (await scrollPoints(collection, { limit: 100 })) as { points: { id: unknown }[] }
          const numbers = [...alive].filter(one => typeof one !== 'string') as number[]
          const texts = [...alive].filter(one => typeof one === 'string')
          const expected = [...numbers.sort((x, y) => (x < y ? -1 : 1)), ...texts.sort()]
          expect(points.map(point => point.id)).toEqual(expected)
        }
      }),
    )
  })
})

describe('the sparse index', () => {
  it('stays right through thousands of rewrites', async () => {
    const { engine, collection } = await collectionOf({ sparse_vectors: { words: {} } })
    const vectorOf = (write: number) => ({
      indices: [write % 11, 11 + (write % 7)],
      values: [1 + (write % 5), write % 3],
    })
    const writes = 4000
    for (let write = 0; write < writes; write++) {
      await engine.update('c', 'upsert', { points: [{ id: write % 40, vector: { words: vectorOf(write) } }] })
    }
    const scored = Array.from({ length: 40 }, (_, i) => writes - 40 + i).flatMap(write => {
      const { indices, values } = vectorOf(write)
      const shared = indices.includes(3) || indices.includes(12)
      const score = (indices[0] === 3 ? (values[0] ?? 0) : 0) + (indices[1] === 12 ? 2 * (values[1] ?? 0) : 0)
      return shared ? [{ id: write % 40, score }] : []
    })
    expect(scored.length).toBeGreaterThan(5)
    const query = { indices: [3, 12], values: [1, 2] }
    await expectRanking(collection, { query, using: 'words', limit: 40 }, scored, false)
  })
})

async function replay(log: { id: number; dense?: number[]; sparse?: SparseMap; remove: boolean }[], distance: string) {
  const { engine, collection } = await collectionOf({
    vectors: { dense: { size: 3, distance } },
    sparse_vectors: { words: { modifier: 'idf' } },
  })
  const alive = new Map<number, { dense: number[] | undefined; sparse: SparseMap | undefined }>()
  for (const { id, dense, sparse, remove } of log) {
    if (remove) {
      await engine.update('c', 'delete', { points: [id] })
      alive.delete(id)
    } else {
      const vector = { ...(dense && { dense }), ...(sparse && { words: sparseShape(sparse) }) }
      await engine.update('c', 'upsert', { points: [{ id, vector }] })
      alive.set(id, { dense, sparse })
    }
  }
  return { collection, alive }
}

function sparseShape(map: SparseMap) {
  return { indices: Object.keys(map).map(Number), values: Object.values(map) }
}

function similarity(distance: string, query: number[], stored: number[]): number {
  const sum = (term: (q: number, s: number) => number) => query.reduce((t, q, i) => t + term(q, stored[i] ?? 0), 0)
  if (distance === 'Euclid') return Math.sqrt(sum((q, s) => (q - s) ** 2))
  const dot = sum((q, s) => q * s)
  const lengths = Math.hypot(...query) * Math.hypot(...stored)
  return distance === 'Dot' || lengths === 0 ? dot : dot / lengths
}

/** Scores must be those of the sorted list, place by place, and each id must carry its own. */
async function expectRanking(
  collection: Collection,
  request: { query: unknown; using: string; limit: number; offset?: number },
  scored: { id: number; score: number }[],
  ascending: boolean,
): Promise<void> {
  const { points } = await queryPoints(collection, request)
  const { limit, offset = 0 } = request
  const sorted = scored.sort((x, y) => (ascending ? x.score - y.score : y.score - x.score) || x.id - y.id)
  const found = points.map(point => point as { id: number; score: Float })
  expect(found.length).toBe(sorted.slice(offset, offset + limit).length)
  found.forEach(({ id, score }, i) => {
    expect(score.value).toBeCloseTo(sorted[offset + i]?.score ?? Number.NaN, 4)
    expect(score.value).toBeCloseTo(scored.find(entry => entry.id === id)?.score ?? Number.NaN, 4)
  })
}
