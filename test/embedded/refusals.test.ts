import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EmbeddedServer } from '../../src/embedded/server.ts'
import { startFilledServer } from './support/filled-server.ts'
import { rest } from './support/rest.ts'

let server: EmbeddedServer
const QUERY = '/collections/c/points/query'

beforeAll(async () => {
  server = await startFilledServer()
})
afterAll(() => server.close())

const dense = { query: [1, 1, 0, 0], using: 'dense' }
const scroll = '/collections/c/points/scroll'
const upsert = '/collections/c/points'

function filterOfDepth(depth: number): unknown {
  let filter: unknown = { must: { key: 'id', match: { value: 1 } } }
  for (let i = 1; i < depth; i++) filter = { must: filter }
  return filter
}

function prefetchOfDepth(depth: number): unknown {
  let prefetch: unknown = dense
  for (let i = 0; i < depth; i++) prefetch = { ...dense, prefetch }
  return prefetch
}

describe('refusals', () => {
  it.each<[string, string, unknown, number, string]>([
    ['POST', '/collections/x/points/query', dense, 404, "Not found: Collection `x` doesn't exist!"],
    ['GET', '/collections/x', undefined, 404, "Not found: Collection `x` doesn't exist!"],
    ['PUT', '/collections/c', { vectors: {} }, 409, 'Wrong input: Collection `c` already exists!'],
    ['PUT', '/collections/d', { vectors: { size: 0, distance: 'Dot' } }, 422, 'Validation error in JSON body'],
    ['PUT', '/collections/d', { vectors: { size: 3, distance: 'Far' } }, 400, 'unknown distance `Far`'],
    ['POST', QUERY, '{"query": [1, 2', 400, 'Format error in JSON body: '],
    ['POST', QUERY, '{"query": [NaN]}', 400, 'Format error in JSON body: '],
    ['POST', QUERY, '[]', 400, 'Format error in JSON body'],
    ['POST', QUERY, undefined, 400, 'Format error in JSON body'],
    ['POST', QUERY, { query: [1, null, 2, 3], using: 'dense' }, 400, 'Format error in JSON body'],
    ['POST', QUERY, '{"query":[1,2,3,1e39],"using":"dense"}', 400, 'number out of range'],
    ['POST', QUERY, { query: [1, 2, 3], using: 'dense' }, 400, 'Vector dimension error: expected dim: 4, got 3'],
    ['POST', QUERY, { query: [1, 2, 3, 4] }, 400, 'Wrong input: Not existing vector name error: '],
    ['POST', QUERY, { ...dense, using: 'no' }, 400, 'Wrong input: Not existing vector name error: no'],
    ['POST', QUERY, { query: { indices: [1], values: [1] }, using: 'dense' }, 400, 'Wrong input: '],
    ['POST', QUERY, { query: { indices: [1, 1], values: [1, 1] }, using: 'words' }, 422, 'must be unique'],
    ['POST', QUERY, { query: { indices: [1], values: [] }, using: 'words' }, 422, 'must be the same length'],
    ['POST', QUERY, { ...dense, limit: 0 }, 422, '[internal.limit: value 0 invalid, must be 1 or larger]'],
    ['POST', QUERY, { ...dense, limit: -1 }, 400, 'Format error in JSON body'],
    ['POST', QUERY, { query: 99, using: 'dense' }, 404, 'Not found: No point with id 99 found'],
    ['POST', QUERY, { query: 'not-an-id', using: 'dense' }, 400, 'is not a valid point ID'],
    ['POST', QUERY, { prefetch: dense }, 400, 'Bad request: A query is needed to merge the prefetches.'],
    ['POST', QUERY, { score_threshold: 1 }, 400, 'Bad request: A query is needed to use the score_threshold.'],
    ['POST', QUERY, { query: { fusion: 'rrf' } }, 400, 'Bad request: '],
    ['POST', QUERY, { prefetch: dense, query: { fusion: 'rrf' }, using: 'dense' }, 400, "the 'using' field."],
    ['POST', QUERY, { prefetch: dense, query: { rrf: { weights: [1, 2] } } }, 400, 'Bad request: '],
    ['POST', QUERY, { prefetch: dense, query: { rrf: { k: 0 } } }, 422, 'must be 1 or larger'],
    ['POST', QUERY, { prefetch: dense, query: { fusion: 'sum' } }, 400, 'unknown fusion `sum`'],
    [
      'POST',
      QUERY,
      { query: { text: 'x', model: 'some/bert' }, using: 'dense' },
      500,
      'no inference service for some/bert',
    ],
    ['POST', QUERY, { query: { nearest: [1, 2, 3, 4], mmr: { diversity: 2 } }, using: 'dense' }, 422, 'mmr.diversity'],
    ['POST', QUERY, prefetchOfDepth(70), 400, 'Prefetch is nested deeper than 64 levels'],
    ['POST', scroll, { filter: filterOfDepth(70) }, 400, 'Filter is nested deeper than 64 levels'],
    ['POST', scroll, { filter: { musst: [] } }, 400, 'unknown field `musst`, expected one of'],
    ['POST', scroll, { filter: { must: [{ key: 'id' }] } }, 400, 'match, range, values_count'],
    ['POST', scroll, { filter: { must: [{ key: 'id', match: { value: 1.5 } }] } }, 400, '`match` must have'],
    ['POST', scroll, '{"filter":{"must":[{"key":"id","match":{"value":1.0}}]}}', 400, '`match` must have'],
    ['POST', scroll, { filter: { must: [{ key: '', match: { value: 1 } }] } }, 400, 'Invalid JSON path'],
    ['POST', scroll, { filter: { must: [{ key: 'a[', match: { value: 1 } }] } }, 400, 'Invalid JSON path'],
    ['POST', scroll, { filter: { must: [{ key: 'a', range: { gt: 'yesterday' } }] } }, 400, 'RFC3339'],
    ['POST', scroll, { filter: 7 }, 400, 'Format error in JSON body'],
    ['POST', scroll, { limit: 0 }, 422, 'must be 1 or larger'],
    ['PUT', upsert, { points: [{ id: 1, vector: { no: [1] } }] }, 400, 'Not existing vector name error: no'],
    ['PUT', upsert, { points: [{ id: 1, vector: [1, 2, 3, 4] }] }, 400, 'Not existing vector name error: '],
    ['PUT', upsert, { points: [{ id: 1, vector: { dense: [1, 2] } }] }, 400, 'expected dim: 4, got 2'],
    ['PUT', upsert, { points: [{ id: 1.5, vector: {} }] }, 400, 'is not a valid point ID'],
    ['PUT', upsert, { points: [{ id: -1, vector: {} }] }, 400, 'is not a valid point ID'],
    ['PUT', upsert, '{"points":[{"id":18446744073709551616,"vector":{}}]}', 400, 'is not a valid point ID'],
    ['PUT', upsert, { points: [{ id: 1 }] }, 400, 'missing field `vector`'],
    ['PUT', upsert, { batch: { ids: [1, 2], vectors: { dense: [[1, 1, 1, 1]] } } }, 400, 'must be equal'],
    ['PUT', upsert, {}, 400, 'points or batch'],
    ['POST', '/collections/c/points/delete', {}, 400, '`points` or `filter`'],
    ['POST', '/collections/c/points/batch', { operations: [{ delete_collection: {} }] }, 400, 'unknown operation'],
    ['POST', '/collections/c/points/payload', { payload: {}, points: [77] }, 404, 'No point with id 77 found'],
    ['GET', '/collections/c/points/77', undefined, 404, 'Not found: Point with id 77 does not exists!'],
  ])('%# %s %s', async (method, path, body, status, text) => {
    const answer = await rest(server.url, method, path, body)
    expect(answer.error ?? '').toContain(text)
    expect(answer.status).toBe(status)
  })

  it('changes nothing when one point of a batch is faulty', async () => {
    const points = [
      { id: 50, vector: { dense: [1, 1, 1, 1] } },
      { id: 51, vector: { dense: [1] } },
    ]
    expect((await rest(server.url, 'PUT', upsert, { points })).status).toBe(400)
    expect((await rest(server.url, 'POST', '/collections/c/points/count', {})).body.result).toEqual({ count: 3 })
  })

  it('answers a query text of a megabyte', async () => {
    const text = 'berth crane '.repeat(87_000)
    const words = await rest(server.url, 'POST', QUERY, { query: { text, model: 'Qdrant/bm25' }, using: 'words' })
    expect(words.status).toBe(200)
  })
})
