import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { rest } from './_rest.ts'

let server: EmbeddedServer
const QUERY = '/collections/c/points/query'

beforeAll(async () => {
  server = await startEmbeddedServer()
  await rest(server.url, 'PUT', '/collections/c', {
    vectors: { dense: { size: 4, distance: 'Cosine' } },
    sparse_vectors: { words: { modifier: 'idf' } },
  })
  await rest(server.url, 'PUT', '/collections/plain', { vectors: { size: 2, distance: 'Euclid' } })
  await rest(server.url, 'PUT', '/collections/c/points', {
    points: [1, 2, 3].map(id => ({
      id,
      vector: { dense: [id, 1, 0, 0], words: { indices: [id], values: [1] } },
      payload: { text: 'a long passage '.repeat(200), id },
    })),
  })
})
afterAll(() => server.close())

interface RawAnswer {
  status: number
  headers: { [name: string]: string | string[] | undefined }
  bytes: Buffer
}

function raw(
  method: string,
  path: string,
  headers: { [name: string]: string } = {},
  body?: Buffer,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(`${server.url}`, { method, path, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}

describe('the wire', () => {
  it('names itself as Qdrant and says it is alive', async () => {
    const root = await raw('GET', '/')
    expect(JSON.parse(root.bytes.toString())).toEqual({ title: 'qdrant - vector search engine', version: '1.18.0' })
    for (const path of ['/healthz', '/livez', '/readyz']) expect((await raw('GET', path)).status).toBe(200)
    expect((await raw('GET', '/nowhere')).status).toBe(404)
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    const head = await raw('HEAD', '/collections')
    expect(head.status).toBe(200)
    expect(Number(head.headers['content-length'])).toBeGreaterThan(20)
    expect(head.bytes.length).toBe(0)
  })

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['deflate', inflateSync],
  ])('compresses to %s when asked, and only then', async (encoding, decode) => {
    const path = '/collections/c/points/1'
    const plain = await raw('GET', path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const packed = await raw('GET', path, { 'accept-encoding': `${encoding};q=0.9, identity;q=0.1` })
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length)
    expect(JSON.parse(decode(packed.bytes).toString()).result).toEqual(JSON.parse(plain.bytes.toString()).result)
    const refused = await raw('GET', path, { 'accept-encoding': `${encoding};q=0` })
    expect(refused.headers['content-encoding']).toBeUndefined()
  })

  it('takes compressed request bodies and refuses broken ones', async () => {
    const body = Buffer.from(JSON.stringify({ exact: true }))
    const count = '/collections/c/points/count'
    for (const [encoding, encode] of [['gzip', gzipSync] as const, ['deflate', deflateSync] as const]) {
      const answer = await raw('POST', count, { 'content-encoding': encoding }, encode(body))
      expect(JSON.parse(answer.bytes.toString()).result).toEqual({ count: 3 })
    }
    expect((await raw('POST', count, { 'content-encoding': 'gzip' }, body)).status).toBe(400)
    expect((await raw('POST', count, { 'content-encoding': 'sdch' }, body)).status).toBe(400)
  })

  it('prints the envelope in Qdrant’s order: result, status, time', async () => {
    const answer = await raw('POST', QUERY, {}, Buffer.from('{"query":[0,5,0,0],"using":"dense","limit":1}'))
    expect(answer.bytes.toString()).toMatch(
      /^\{"result":\{"points":\[\{"id":1,"version":0,"score":0\.70710677\}\]\},"status":"ok","time":[\d.e-]+\}$/,
    )
    const failed = await raw('POST', QUERY, {}, Buffer.from('{"query":[1],"using":"dense"}'))
    expect(failed.bytes.toString()).toMatch(
      /^\{"status":\{"error":"Wrong input: Vector dimension error: expected dim: 4, got 1"\},"time":[\d.e-]+\}$/,
    )
  })

  it('survives malformed paths', async () => {
    for (const path of ['/collections/%E0%A4%A', '//', '/collections//points', '/collections/c/points/%00']) {
      expect((await raw('GET', path)).status, path).toBeGreaterThanOrEqual(400)
    }
    expect((await raw('GET', '/collections/%63/exists')).bytes.toString()).toContain('"exists":true')
  })

  it('closes although a client keeps its connection', async () => {
    const other = await startEmbeddedServer()
    expect((await fetch(`${other.url}/collections`)).status).toBe(200)
    await other.close()
    await expect(fetch(`${other.url}/collections`)).rejects.toThrow()
  })

  it('finishes a request in flight when it closes, and lets no keep-alive hold it open', async () => {
    const other = await startEmbeddedServer()
    const socket = connect(other.port, '127.0.0.1')
    const ended = once(socket, 'close')
    let answer = ''
    socket.on('data', bytes => {
      answer += bytes
    })
    socket.write('PUT /collections/late HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n')
    await once(socket, 'data')
    const closed = other.close()
    socket.write('{}')
    await closed
    await ended
    expect(answer).toContain('"result":true')
    expect(answer.toLowerCase()).toContain('connection: close')
  }, 10_000)
})

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
    ['PUT', '/collections/d', { vectors: { size: 3, distance: 'Far' } }, 400, 'unknown variant `Far`'],
    ['POST', QUERY, '{"query": [1, 2', 400, 'Format error in JSON body: EOF while parsing a value at line 1 column 15'],
    ['POST', QUERY, '{"query": [NaN]}', 400, 'Format error in JSON body: expected value at line 1 column 12'],
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
    ['POST', QUERY, { prefetch: dense, query: { fusion: 'sum' } }, 400, 'unknown variant `sum`'],
    ['POST', QUERY, { query: { text: 'x', model: 'some/bert' }, using: 'dense' }, 500, 'InferenceService URL not conf'],
    [
      'POST',
      QUERY,
      { query: { order_by: 'id' } },
      501,
      "Not implemented in stowage's embedded engine: query `order_by`",
    ],
    ['POST', QUERY, { query: { formula: 1 }, prefetch: dense }, 501, 'query `formula`'],
    ['POST', QUERY, prefetchOfDepth(70), 400, 'Prefetch is nested deeper than 64 levels'],
    ['POST', scroll, { filter: filterOfDepth(70) }, 400, 'Filter is nested deeper than 64 levels'],
    ['POST', scroll, { filter: { musst: [] } }, 400, 'unknown field `musst`, expected one of'],
    ['POST', scroll, { filter: { must: [{ key: 'id' }] } }, 400, 'enum Condition'],
    ['POST', scroll, { filter: { must: [{ key: 'id', match: { value: 1.5 } }] } }, 400, 'enum Match'],
    ['POST', scroll, '{"filter":{"must":[{"key":"id","match":{"value":1.0}}]}}', 400, 'enum Match'],
    ['POST', scroll, { filter: { must: [{ key: '', match: { value: 1 } }] } }, 400, 'Invalid JSON path'],
    ['POST', scroll, { filter: { must: [{ key: 'a[', match: { value: 1 } }] } }, 400, 'Invalid JSON path'],
    ['POST', scroll, { filter: { must: [{ key: 'a', range: { gt: 'yesterday' } }] } }, 400, 'RFC3339'],
    ['POST', scroll, { filter: { must: [{ key: 'a', geo_radius: {} }] } }, 501, 'filter condition `geo_radius`'],
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
    ['PUT', upsert, {}, 400, 'PointInsertOperations'],
    ['POST', '/collections/c/points/delete', {}, 400, 'PointsSelector'],
    ['POST', '/collections/c/points/payload', { payload: {}, points: [77] }, 404, 'No point with id 77 found'],
    ['GET', '/collections/c/points/77', undefined, 404, 'Not found: Point with id 77 does not exists!'],
    ['POST', '/collections/c/facet', { key: 'id' }, 400, 'Index required but not found for "id"'],
    ['POST', '/collections/c/snapshots', undefined, 501, 'POST /collections/c/snapshots'],
    ['GET', '/telemetry', undefined, 501, '/telemetry'],
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

  it('lives through a filter of 100,000 conditions and a query text of a megabyte', async () => {
    const should = Array.from({ length: 100_000 }, (_, value) => ({ key: 'id', match: { value } }))
    const found = await rest<{ points: unknown[] }>(server.url, 'POST', scroll, { filter: { should } })
    expect(found.body.result.points).toHaveLength(3)
    const text = 'berth crane '.repeat(90_000)
    const words = await rest(server.url, 'POST', QUERY, { query: { text, model: 'Qdrant/bm25' }, using: 'words' })
    expect(words.status).toBe(200)
  })
})

describe('smaller promises', () => {
  it('takes points in columns, bare vectors, and gives them back bare', async () => {
    const points = '/collections/plain/points'
    const batch = {
      ids: [7, '0B5C8E1A00004F009A00C0FFEE000000'],
      vectors: [
        [0, 3],
        [4, 0],
      ],
      payloads: [{ a: 1 }, null],
    }
    const wrote = await rest(server.url, 'PUT', `${points}?wait=true`, { batch })
    expect(wrote.body.result).toEqual({ operation_id: 0, status: 'completed' })
    const near = await rest(server.url, 'POST', `${points}/search`, { vector: [0, 0], limit: 5, with_vector: true })
    expect(near.body.result).toEqual([
      { id: 7, version: 0, score: 3, vector: [0, 3] },
      { id: '0b5c8e1a-0000-4f00-9a00-c0ffee000000', version: 0, score: 4, vector: [4, 0] },
    ])
  })

  it('groups, batches, and looks vectors up elsewhere', async () => {
    const groups = await rest<{ groups: { id: unknown; hits: { id: unknown }[] }[] }>(
      server.url,
      'POST',
      `${QUERY}/groups`,
      { ...dense, group_by: 'id', limit: 2, group_size: 1 },
    )
    expect(groups.body.result.groups.map(group => [group.id, group.hits.map(hit => hit.id)])).toEqual([
      [1, [1]],
      [2, [2]],
    ])
    const batch = await rest<unknown[]>(server.url, 'POST', `${QUERY}/batch`, { searches: [dense, { limit: 1 }] })
    expect(batch.body.result).toHaveLength(2)
    await rest(server.url, 'PUT', '/collections/other', { vectors: { v: { size: 4, distance: 'Dot' } } })
    await rest(server.url, 'PUT', '/collections/other/points', { points: [{ id: 2, vector: { v: [0, 1, 0, 0] } }] })
    const lookup_from = { collection: 'other', vector: 'v' }
    const found = await rest<{ points: { id: number }[] }>(server.url, 'POST', QUERY, {
      query: 2,
      using: 'dense',
      lookup_from,
    })
    expect(found.body.result.points.map(point => point.id)).toEqual([1, 2, 3])
  })

  it('changes payloads and vectors by points, by filter and in batches, sharing nothing between points', async () => {
    await rest(server.url, 'PUT', '/collections/w', { vectors: { size: 2, distance: 'Dot' } })
    const post = (path: string, body: unknown) => rest(server.url, 'POST', `/collections/w/points${path}`, body)
    const operations = [
      { upsert: { points: [1, 2, 3].map(id => ({ id, vector: [id, 0], payload: { id } })) } },
      { set_payload: { payload: { deep: { x: 1, y: [{ z: 1 }, { z: 2 }] } }, points: [1, 2] } },
      { delete_payload: { keys: ['deep.x', 'deep.y[].z'], filter: { must: [{ has_id: [1] }] } } },
      { set_payload: { payload: { new: true }, key: 'deep', points: [2] } },
      { overwrite_payload: { payload: { only: 1 }, points: [3] } },
      { update_vectors: { points: [{ id: 3, vector: [0, 9] }] } },
    ]
    const { body } = await post('/batch?wait=true', { operations })
    expect(body.result).toEqual(operations.map((_, i) => ({ operation_id: i, status: 'completed' })))
    expect((await post('/scroll', { with_vector: true })).body.result).toEqual({
      points: [
        { id: 1, payload: { id: 1, deep: { y: [{}, {}] } }, vector: [1, 0] },
        { id: 2, payload: { id: 2, deep: { x: 1, y: [{ z: 1 }, { z: 2 }], new: true } }, vector: [2, 0] },
        { id: 3, payload: { only: 1 }, vector: [0, 9] },
      ],
      next_page_offset: null,
    })
    await post('/payload/clear', { points: [1] })
    await post('/vectors/delete', { points: [2], vector: [''] })
    await post('/delete', { points: [3, 99] })
    expect((await post('/scroll', { with_vector: true })).body.result).toEqual({
      points: [
        { id: 1, payload: {}, vector: [1, 0] },
        { id: 2, payload: expect.anything(), vector: {} },
      ],
      next_page_offset: null,
    })
  })

  it('honours update_filter and update_mode, so that one tenant cannot overwrite another', async () => {
    const put = (body: unknown) => rest(server.url, 'PUT', '/collections/t/points', body)
    await rest(server.url, 'PUT', '/collections/t', { vectors: { size: 1, distance: 'Dot' } })
    const point = (id: number, tenant: string) => ({ id, vector: [1], payload: { tenant } })
    const update_filter = { must: [{ key: 'tenant', match: { value: 'b' } }] }
    await put({ points: [point(1, 'a'), point(2, 'b')] })
    await put({ points: [1, 2, 3].map(id => point(id, 'b')), update_filter })
    await put({ points: [point(3, 'c'), point(4, 'c')], update_mode: 'insert_only' })
    await put({ points: [point(4, 'd'), point(5, 'd')], update_mode: 'update_only' })
    const { body } = await rest<{ points: { payload: { tenant: string } }[] }>(
      server.url,
      'POST',
      '/collections/t/points/scroll',
      {},
    )
    expect(body.result.points.map(stored => stored.payload.tenant).join('')).toBe('abbd')
  })
})
