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
    ['POST', '/collections/c/points/delete', {}, 400, 'Either list of point ids or filter must be provided'],
    [
      'PUT',
      '/collections/c/points/vectors',
      { points: [{ id: 1, vector: {} }] },
      422,
      'Validation error in JSON body: [points[0].vector: must specify vectors to update for point]',
    ],
    [
      'PUT',
      '/collections/c/points/vectors',
      { points: [{ id: 1, vector: { no: [1] } }] },
      400,
      'vector name error: no',
    ],
    [
      'POST',
      '/collections/c/points/vectors/delete',
      { points: [1], vector: [] },
      422,
      'must specify vector names to delete',
    ],
    ['POST', '/collections/c/points/vectors/delete', { points: [1], vector: ['no'] }, 400, 'vector name error: no'],
    ['POST', '/collections/c/points', { ids: [1], with_vector: ['no'] }, 400, 'Not existing vector name error: no'],
    ['POST', QUERY, { ...dense, with_vector: ['dense', 'no'] }, 400, 'Not existing vector name error: no'],
    [
      'PUT',
      '/collections/d',
      { vectors: {}, hnsw_config: { ef_construct: 0 } },
      422,
      'Validation error in JSON body: [hnsw_config.ef_construct: value 0 invalid, must be 4 or larger]',
    ],
    ['PUT', '/collections/d', { vectors: {}, optimizers_config: { deleted_threshold: 2 } }, 422, 'must be from 0 to 1'],
    [
      'PUT',
      '/collections/d',
      { vectors: { size: 2, distance: 'Dot', hnsw_config: { ef_construct: 1 } } },
      422,
      '4 or larger',
    ],
    ['PUT', '/collections/d', { sparse_vectors: { w: { modifier: 'tf' } } }, 400, 'unknown variant `tf`'],
    [
      'PUT',
      '/collections/d',
      { vectors: { w: { size: 2, distance: 'Dot' } }, sparse_vectors: { w: {} } },
      400,
      'is used for',
    ],
    ['PUT', '/collections/d', { vectors: {}, init_from: { collection: 'c' } }, 501, 'init_from'],
    ['PUT', '/collections/d', { vectors: {}, strict_mode_config: { enabled: true } }, 501, 'strict_mode_config'],
    ['PUT', '/collections/d', { vectors: {}, sharding_method: 'custom' }, 501, 'sharding_method'],
    [
      'PUT',
      '/collections/d?timeout=0',
      { vectors: {} },
      422,
      'Validation error in query parameters: [timeout: value 0 invalid, must be 1 or larger]',
    ],
    ['GET', `/collections/${'n'.repeat(256)}/points/1`, undefined, 422, 'Validation error in path parameters: [name: '],
    [
      'PUT',
      '/collections/c/index',
      { field_name: 'a', field_schema: 'word' },
      400,
      'unknown payload index type, expected one of keyword, integer',
    ],
    ['POST', scroll, { shard_key: 'a' }, 501, 'shard_key'],
    ['PUT', upsert, { points: [], shard_key: 'a' }, 501, 'shard_key'],
    ['POST', scroll, { order_by: 'id' }, 400, 'Wrong input: No range index for `order_by` key: `id`.'],
    ['POST', scroll, { order_by: 'id', offset: 1 }, 400, 'Bad request: Cannot use an `offset` when using `order_by`.'],
    ['POST', scroll, { order_by: { key: 'id', direction: 'up' } }, 400, 'unknown variant `up`'],
    ['POST', scroll, { filter: { must: [{ key: 'a', geo_radius: { center: { lat: 1, lon: 1 } } }] } }, 400, '`radius`'],
    [
      'POST',
      scroll,
      { filter: { must: [{ key: 'a', geo_radius: { center: { lat: 91, lon: 1 }, radius: 1 } }] } },
      400,
      'expected `lat` = 91 within [-90;90]',
    ],
    [
      'POST',
      scroll,
      {
        filter: {
          must: [{ key: 'a', geo_polygon: { exterior: { points: [0, 1, 2, 3].map(lon => ({ lon, lat: 1 })) } } }],
        },
      },
      422,
      'the first and the last points should be the same to form a closed line',
    ],
    [
      'POST',
      '/collections/plain/points/search',
      { vector: [1, 2] },
      400,
      'Format error in JSON body: missing field `limit`',
    ],
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
