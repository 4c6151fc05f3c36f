import { StowageError } from '../../../../src/core/errors.ts'
import type { PassageStore } from '../../../../src/core/ports.ts'
import type { JsonObject, RetrievedHit, SparseVector } from '../../../../src/core/types.ts'
import { readChunk } from '../../../../src/qdrant/payload/read-chunk.ts'
import { vectorOf } from '../../../support/query-vectors.ts'

export interface StoredPoint {
  id: number | string
  dense: number[] | null
  sparse: SparseVector | null
  payload: JsonObject
}

/** A collection as the tests lay it out: cosine vectors of one size, BM25-like sparse vectors. */
export interface StoredCollection {
  name: string
  size: number
  points: StoredPoint[]
}

/** The port by its plainest reading: full scans, no server. Filters are a list of `{key, match: {value}}` under `must`. */
export function createNaiveStore(collection: StoredCollection): PassageStore {
  const find = (name: string, filter: JsonObject | null): StoredPoint[] => {
    if (name !== collection.name) throw new StowageError('collection_not_found', `no collection ${name}`)
    return collection.points.filter(point => matches(point.payload, filter))
  }
  const toHit = (point: StoredPoint, score: number, withVectors: boolean): RetrievedHit => {
    const hit = { chunk: readChunk(point, collection.name), score }
    return withVectors && point.dense ? { ...hit, vector: Float32Array.from(normalised(point.dense)) } : hit
  }

  return {
    async search(request) {
      const isAsked = ({ payload }: StoredPoint) => request.documents?.includes(String(payload.doc_id)) ?? true
      const points = find(request.collection, request.filter).filter(isAsked)
      const query = await vectorOf(request.dense)
      const terms = request.sparse
      const missing = query && query.length !== collection.size ? ['dense: wrong size'] : []
      const dense = (point: StoredPoint) =>
        query && missing.length === 0 && point.dense ? cosine(query, point.dense) : null
      const keyword = (point: StoredPoint) =>
        terms && point.sparse ? bm25(terms, point.sparse, collection.points) : null
      const best = (scoreOf: (point: StoredPoint) => number | null, limit: number, among = points) =>
        among
          .flatMap(point => {
            const score = scoreOf(point)
            return score === null ? [] : [{ point, score }]
          })
          .sort((a, b) => b.score - a.score)
          .slice(0, limit)
      const keywordTop = best(keyword, request.limit)
      const union = new Set([...best(dense, request.limit), ...keywordTop].map(({ point }) => point))
      const denseTop = best(dense, union.size, [...union])
      const show = (found: typeof keywordTop) =>
        found.map(({ point, score }) => toHit(point, score, request.withVectors))
      return {
        lists: [
          ...(query && missing.length === 0 ? [{ source: 'dense', kind: 'dense' as const, hits: show(denseTop) }] : []),
          ...(terms ? [{ source: 'keyword', kind: 'keyword' as const, hits: show(keywordTop) }] : []),
        ],
        missing,
      }
    },
    async fetchParents(name, ids, filter) {
      return find(name, filter)
        .filter(({ id, payload }) => payload.is_parent === true && ids.some(asked => asked === id))
        .map(point => readChunk(point, name))
    },
    async fetchPlaces(name, places, filter) {
      return find(name, filter)
        .map(point => readChunk(point, name))
        .filter(chunk => places.some(place => place.docId === chunk.docId && place.orderIndex === chunk.orderIndex))
    },
  }
}

function matches(payload: JsonObject, filter: JsonObject | null): boolean {
  const must = (filter?.must ?? []) as { key: string; match: { value: unknown } }[]
  return must.every(({ key, match }) => payload[key] === match.value)
}

function normalised(vector: number[]): number[] {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map(value => value / length)
}

function cosine(a: number[], b: number[]): number {
  const [left, right] = [normalised(a), normalised(b)]
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}

/** Null without a common term, as in Qdrant. */
function bm25(query: SparseVector, document: SparseVector, points: StoredPoint[]): number | null {
  const indexed = points.flatMap(point => (point.sparse && point.sparse.indices.length > 0 ? [point.sparse] : []))
  let score: number | null = null
  query.indices.forEach((term, at) => {
    const place = document.indices.indexOf(term)
    if (place < 0) return
    const frequency = indexed.filter(sparse => sparse.indices.includes(term)).length
    const idf = Math.log((indexed.length - frequency + 0.5) / (frequency + 0.5) + 1)
    score = (score ?? 0) + (query.values[at] ?? 0) * idf * (document.values[place] ?? 0)
  })
  return score
}
