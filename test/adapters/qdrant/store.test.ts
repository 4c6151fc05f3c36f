import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createQdrantStore, type QdrantStoreOptions } from '../../../src/adapters/qdrant/store.ts'
import type { SearchRequest } from '../../../src/core/ports.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import { deferred } from '../../support/deferred.ts'
import { pending } from '../../support/query-vectors.ts'
import { type Recorded, type Reply, relay, startRecordingServer } from '../../support/recording-server.ts'
import { sendOk } from '../../support/send.ts'
import { fill } from './support/collections.ts'
import type { StoredCollection, StoredPoint } from './support/naive-store.ts'
import { call } from './support/store-contract.ts'

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

/** A store whose requests to the engine are recorded; `reply` may answer in the engine's place. */
async function record(
  options: Partial<QdrantStoreOptions> = {},
  reply: (request: Recorded) => Reply | null | undefined = () => undefined,
) {
  const server = await startRecordingServer(async request => {
    const own = reply(request)
    return own === undefined ? relay(engine.url, request) : own
  })
  const http = createQdrantHttp(server.url)
  const store = createQdrantStore({ http, ...options })
  onTestFinished(() => http.close())
  onTestFinished(() => server.close())
  return { store, requests: server.requests }
}

let made = 0
/** A collection of a few points with vectors of size 2 and the given payloads. */
async function collect(
  payloads: StoredPoint['payload'][],
  layout?: Parameters<typeof fill>[2],
): Promise<StoredCollection> {
  made += 1
  const collection = {
    name: `c${made}`,
    size: 2,
    points: payloads.map((payload, i) => ({
      id: i + 1,
      dense: [1, i],
      sparse: { indices: [1], values: [1 + i] },
      payload,
    })),
  }
  await fill(engine.url, collection, layout)
  return collection
}

const own = (i: number, more = {}) => ({ doc_id: 'd', order_index: i, text: `text ${i}`, ...more })

function ask(collection: string, over: Partial<SearchRequest> = {}): SearchRequest {
  return {
    collection,
    filter: null,
    dense: [1, 0],
    sparse: { indices: [1], values: [1] },
    limit: 3,
    withVectors: false,
    ...over,
  }
}

describe('createQdrantStore', () => {
  it.each([
    ['of other writers', {}, 5],
    ['of `stowage ingest`', { content_hash: 'h' }, 3],
  ])('asks a collection %s for its number of hits', async (_, more, hits) => {
    const { name } = await collect(Array.from({ length: 6 }, (_, i) => own(i, more)))
    const { store } = await record()
    const keywordHits = async (over: Partial<SearchRequest>) =>
      (await store.search(ask(name, over), call)).lists.find(({ kind }) => kind === 'keyword')?.hits.length
    expect(await keywordHits({ foreignLimit: 5 })).toBe(hits)
    expect(await keywordHits({})).toBe(3)
    // Without a keyword list, the dense one has nothing of it.
    const dense = await store.search(ask(name, { sparse: null, foreignLimit: 5 }), call)
    expect(dense.lists.map(list => list.hits.length)).toEqual([hits])
  })

  it.each([
    ['limits the hits of a search', { status: 400, body: '{"status":{"error":"Limit exceeded 5 > 4"}}' }],
    ['answers more than stowage reads', { status: 200, body: ' '.repeat(65 * 1024 * 1024) }],
  ])('asks a foreign collection for fewer hits where Qdrant %s', async (_, refusal) => {
    const { name } = await collect(Array.from({ length: 6 }, (_, i) => own(i)))
    const isDeep = ({ body }: Recorded) => body.includes('"limit":5')
    const { store, requests } = await record({}, request => (isDeep(request) ? refusal : undefined))
    const question = ask(name, { sparse: null, foreignLimit: 5 })
    for (let time = 0; time < 2; time++)
      expect((await store.search(question, call)).lists.map(list => list.hits.length)).toEqual([3])
    const { length } = requests.filter(isDeep)
    await store.search(question, call)
    expect(requests.filter(isDeep)).toHaveLength(length)
  })

  describe('a search of some documents', () => {
    const inTwoDocuments = Array.from({ length: 6 }, (_, i) => own(i, { doc_id: i % 2 === 0 ? 7 : 'd' }))
    const titles = async (store: ReturnType<typeof createQdrantStore>, name: string, documents: string[]) => {
      const { lists } = await store.search(ask(name, { sparse: null, documents, limit: 6 }), call)
      return lists.map(({ hits }) => hits.map(({ chunk }) => chunk.docId))
    }
    /** As a collection of this many points, with these indexes, would say of itself. */
    const described =
      (name: string, points: number, indexes: Record<string, string>) =>
      ({ method, path }: Recorded): Reply | undefined => {
        if (method !== 'GET' || path !== `/collections/${name}`) return undefined
        const schema = Object.entries(indexes).map(([field, type]) => [field, { data_type: type, points }])
        const params = { vectors: { dense: { size: 2, distance: 'Cosine' } } }
        const result = { points_count: points, payload_schema: Object.fromEntries(schema), config: { params } }
        return { status: 200, body: JSON.stringify({ result, status: 'ok', time: 0 }) }
      }

    it('matches ids that are texts or integers', async () => {
      const { name } = await collect(inTwoDocuments)
      const { store } = await record()
      expect(await titles(store, name, ['7'])).toEqual([['7', '7', '7']])
      expect(await titles(store, name, ['d'])).toEqual([['d', 'd', 'd']])
      expect(await titles(store, name, ['7', 'd'])).toEqual([expect.objectContaining({ length: 6 })])
    })

    it.each([
      ['many points and no index', 20_001, {}, []],
      ['many points and an index on another field', 20_001, { text: 'text' }, []],
      ['many points and an index of texts', 20_001, { doc_id: 'keyword' }, [['d', 'd', 'd']]],
      ['many points and an index of integers', 20_001, { doc_id: 'integer' }, [['7', '7', '7']]],
      ['a few points', 20_000, {}, [expect.objectContaining({ length: 6 })]],
    ])('of a collection of %s is sent only where it is quick', async (_, points, indexes, found) => {
      const { name } = await collect(inTwoDocuments)
      const { store, requests } = await record({}, described(name, points, indexes))
      expect(await titles(store, name, ['7', 'd'])).toEqual(found)
      expect(requests.filter(({ path }) => path.includes('query'))).toHaveLength(found.length)
    })

    it('is not sent again for a while when Qdrant refuses it', async () => {
      const { name } = await collect(inTwoDocuments)
      const refusal = { status: 400, body: '{"status":{"error":"Index required but not found for \\"doc_id\\""}}' }
      const { store, requests } = await record({}, ({ body }) => (body.includes('"any"') ? refusal : undefined))
      await expect(titles(store, name, ['d'])).rejects.toThrow('Index required')
      const { length } = requests
      expect(await titles(store, name, ['d'])).toEqual([])
      expect(requests.slice(length).filter(({ path }) => path.includes('query'))).toEqual([])
      expect(await store.search(ask(name, { sparse: null }), call)).toMatchObject({ lists: [{ source: 'dense' }] })
    })

    it('says how it filters, and who has written the collection', async () => {
      const { store } = await record()
      const { name: foreign } = await collect(inTwoDocuments)
      expect((await store.search(ask(foreign), call)).isForeign).toBe(true)
      expect(await store.documentFilter(foreign, call)).toEqual({ key: 'doc_id', types: ['string', 'number'] })
      const { name: ingested } = await collect(inTwoDocuments.map(payload => ({ ...payload, content_hash: 'h' })))
      expect((await store.search(ask(ingested), call)).isForeign).toBe(false)
    })

    it('is not sent where the points have no document id', async () => {
      const { name } = await collect([{ text: 'one' }, { text: 'two' }])
      const { store } = await record()
      expect(await titles(store, name, ['1'])).toEqual([])
    })
  })

  it('makes one round trip per search once it knows the collection', async () => {
    const { name } = await collect([own(0), own(1), own(2)])
    const { store, requests } = await record()
    await store.search(ask(name), call)
    expect(requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      `GET /collections/${name}`,
      `POST /collections/${name}/points/query/batch`,
      `POST /collections/${name}/points/scroll`,
    ])
    await store.search(ask(name), call)
    await store.search(ask(name, { sparse: null }), call)
    expect(requests.slice(3).map(({ path }) => path)).toEqual(Array(2).fill(`/collections/${name}/points/query/batch`))
    const searches = JSON.parse(requests[3]?.body ?? '').searches
    expect(searches).toHaveLength(3)
    expect(searches[2]).toMatchObject({
      query: [1, 0],
      using: 'dense',
      with_payload: false,
      prefetch: { using: 'sparse' },
    })
    expect(JSON.parse(requests[4]?.body ?? '').searches).toHaveLength(1)
  })

  it("sends the call's key, and none for a call without one", async () => {
    const { name } = await collect([own(0)])
    const { store, requests } = await record()
    await store.search(ask(name), { ...call, apiKey: 'theirs' })
    await store.search(ask(name), call)
    expect(requests.map(({ headers }) => headers['api-key'])).toEqual([
      ...Array(3).fill('theirs'),
      ...Array(3).fill(undefined),
    ])
  })

  it('looks again at a collection that was made anew', async () => {
    const { name } = await collect([own(0)])
    const { store } = await record()
    await store.search(ask(name), call)
    await sendOk(engine.url, 'DELETE', `/collections/${name}`)
    await expect(store.search(ask(name), call)).rejects.toMatchObject({ code: 'collection_not_found' })
    await fill(engine.url, { name, size: 3, points: [] }, { dense: 'other' })
    const { lists, missing } = await store.search(ask(name, { dense: [1, 0, 0] }), call)
    expect(missing).toEqual([])
    expect(lists.map(list => list.source)).toEqual(['dense', 'keyword'])
  })

  it('looks again when no list could be searched, so that a collection made anew is right at once', async () => {
    const { name } = await collect([own(0)])
    const { store } = await record()
    const question = ask(name, { dense: [1, 0, 0], sparse: null })
    expect((await store.search(question, call)).lists).toEqual([])
    await sendOk(engine.url, 'DELETE', `/collections/${name}`)
    await fill(engine.url, { name, size: 3, points: [] })
    expect((await store.search(question, call)).lists.map(list => list.source)).toEqual(['dense'])
  })

  it('searches again where what it knows of the collection is out of date', async () => {
    const { name } = await collect([own(0)])
    const { store } = await record()
    await store.search(ask(name), call)
    await sendOk(engine.url, 'DELETE', `/collections/${name}`)
    await fill(engine.url, { name, size: 3, points: [] })
    const { lists, missing } = await store.search(ask(name, { dense: [1, 0, 0], sparse: null }), call)
    expect(missing).toEqual([])
    expect(lists.map(list => list.source)).toEqual(['dense'])
  })

  it('searches once where the collection is as it was', async () => {
    const { name } = await collect([own(0)])
    const { store, requests } = await record()
    const question = ask(name, { dense: [1, 0, 0], sparse: null })
    await store.search(question, call)
    expect(requests).toHaveLength(2)
  })

  it.each([
    ['Dot', 'Euclid', [3, 2]],
    ['Euclid', 'Dot', [3, 2]],
  ])('keeps the order of the engine when a collection of %s was made anew with %s', async (before, after, order) => {
    const points = [own(0), own(1), own(2)]
    const collection = await collect(points, { distance: before })
    const { name } = collection
    const { store } = await record()
    await store.search(ask(name), call)
    await sendOk(engine.url, 'DELETE', `/collections/${name}`)
    await fill(engine.url, collection, { distance: after })
    for (let time = 0; time < 2; time++) {
      const { lists } = await store.search(ask(name, { dense: [1, 1.9], sparse: null, limit: 2 }), call)
      expect(lists[0]?.hits.map(hit => hit.chunk.id)).toEqual(order)
      const [first = 0, last = 0] = lists[0]?.hits.map(({ score }) => score) ?? []
      expect(first).toBeGreaterThan(last)
    }
  })

  it.each([400, 404, 405, 422, 501])('asks list by list where the batch is refused with %i', async status => {
    const { name } = await collect([own(0), own(1)])
    const { store } = await record({}, ({ path }) =>
      path.endsWith('/batch') ? { status, body: '{"status":{"error":"no batches here"}}' } : undefined,
    )
    const { lists, missing } = await store.search(ask(name), call)
    expect(lists.map(list => [list.source, list.hits.length])).toEqual([
      ['dense', 2],
      ['keyword', 2],
    ])
    expect(missing).toEqual([expect.stringContaining('no batches here')])
  })

  it('does not hide a refusal that is the fault of the request', async () => {
    const { name } = await collect([own(0)])
    const { store } = await record()
    const filter = { must: [{ key: 'a', match: { nonsense: true } }] }
    await expect(store.search(ask(name, { filter }), call)).rejects.toMatchObject({
      code: 'bad_request',
      details: { status: 400 },
    })
  })

  it('searches the keyword list before the query vector is there', async () => {
    const { name } = await collect([own(0), own(1)])
    const vector = deferred<number[]>()
    const { store, requests } = await record({}, ({ path, body }) => {
      if (path.endsWith('/batch') && body.includes('sparse')) vector.resolve([1, 0])
      return undefined
    })
    const { lists } = await store.search(ask(name, { dense: pending(vector.promise, 2) }), call)
    expect(lists.map(({ source, hits }) => [source, hits.length])).toEqual([
      ['dense', 2],
      ['keyword', 2],
    ])
    const searches = requests.filter(({ path }) => path.endsWith('/batch')).map(({ body }) => JSON.parse(body).searches)
    expect(searches.map(list => list.length)).toEqual([1, 2])
  })

  it('waits for no vector that the collection cannot use', async () => {
    const { name } = await collect([own(0)])
    const { store } = await record()
    const { lists } = await store.search(ask(name, { dense: pending(new Promise(() => {}), 3) }), call)
    expect(lists.map(({ source }) => source)).toEqual(['keyword'])
  })

  describe('a search that fails once', () => {
    /** A store whose first search is answered with `failure`. */
    const failingOnce = async (failure: Reply) => {
      const { name } = await collect([own(0)])
      let failed = false
      let retries = 0
      const { store, requests } = await record({ onRetry: () => retries++ }, ({ path }) => {
        if (failed || !path.endsWith('/batch')) return undefined
        failed = true
        return failure
      })
      return {
        search: (signal = call.signal) => store.search(ask(name), { ...call, signal }),
        searches: () => requests.filter(({ path }) => path.includes('/query')).length,
        retries: () => retries,
      }
    }

    it.each([500, 502, 503, 504])('with %i is sent a second time', async status => {
      const { search, searches, retries } = await failingOnce({ status, body: '' })
      expect((await search()).lists).toHaveLength(2)
      expect([searches(), retries()]).toEqual([2, 1])
    })

    it('with a reset is sent a second time', async () => {
      const { search, searches } = await failingOnce(null)
      expect((await search()).lists).toHaveLength(2)
      expect(searches()).toBe(2)
    })

    it.each([
      ['429', { status: 429, body: '' }],
      ['408', { status: 408, body: '' }],
      ['a time to wait', { status: 503, body: '', headers: { 'retry-after': '1' } }],
    ])('with %s is not sent again', async (_name, failure) => {
      const { search, searches, retries } = await failingOnce(failure)
      await expect(search()).rejects.toMatchObject({ details: { status: failure.status } })
      expect([searches(), retries()]).toEqual([1, 0])
    })

    it('is not sent again after the deadline', async () => {
      const deadline = new AbortController()
      const { search, searches, retries } = await failingOnce(response => {
        response.writeHead(500).end()
        setImmediate(() => deadline.abort())
      })
      await expect(search(deadline.signal)).rejects.toThrow()
      expect([searches(), retries()]).toEqual([1, 0])
    })
  })

  it('asks an ailing server twice at most', async () => {
    const { name } = await collect([own(0)])
    const { store, requests } = await record({}, ({ path }) =>
      path.endsWith('/batch') ? { status: 503, body: '' } : undefined,
    )
    await expect(store.search(ask(name), call)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(requests.filter(({ path }) => path.includes('/query'))).toHaveLength(2)
  })

  describe('the profile of a collection', () => {
    const described = (requests: Recorded[], name: string) =>
      requests.filter(({ method, path }) => method === 'GET' && path === `/collections/${name}`).length

    it('is not told to a caller with another key, or without one', async () => {
      const { name } = await collect([own(0)])
      const { store } = await record({}, ({ headers }) =>
        headers['api-key'] === 'good' ? undefined : { status: 401, body: 'Must provide an API key' },
      )
      const nothing = ask(name, { dense: null, sparse: null })
      await store.search(ask(name), { ...call, apiKey: 'good' })
      for (const apiKey of ['bad', null]) {
        await expect(store.search(nothing, { ...call, apiKey })).rejects.toMatchObject({ code: 'unauthorized' })
      }
    })

    it.each([401, 403])('stays known to the others when one key is refused with %i', async status => {
      const { name } = await collect([own(0)])
      const { store, requests } = await record({}, ({ headers }) =>
        headers['api-key'] === 'good' ? undefined : { status, body: '' },
      )
      await store.search(ask(name), { ...call, apiKey: 'good' })
      await expect(store.search(ask(name), { ...call, apiKey: 'bad' })).rejects.toMatchObject({ details: { status } })
      const before = described(requests, name)
      await store.search(ask(name), { ...call, apiKey: 'good' })
      expect(described(requests, name)).toBe(before)
    })

    it('stays known when a search fails for a moment', async () => {
      const { name } = await collect([own(0)])
      let down = false
      const { store, requests } = await record({}, () => (down ? { status: 500, body: '' } : undefined))
      await store.search(ask(name), call)
      down = true
      await expect(store.search(ask(name), call)).rejects.toThrow()
      down = false
      await store.search(ask(name), call)
      expect(described(requests, name)).toBe(1)
    })
  })

  it('has no keyword list where sparse vectors are weighed by another model', async () => {
    made += 1
    const name = `c${made}`
    await sendOk(engine.url, 'PUT', `/collections/${name}`, {
      vectors: { a: { size: 2, distance: 'Dot' }, b: { size: 3, distance: 'Dot' } },
      sparse_vectors: { splade: {} },
    })
    const { store } = await record()
    const { lists, missing } = await store.search(ask(name), call)
    expect(lists).toMatchObject([{ source: 'dense', hits: [] }])
    expect(missing).toEqual([expect.stringMatching(/^keyword: .*idf/)])
    const wrong = await store.search(ask(name, { dense: [1, 2, 3, 4] }), call)
    expect(wrong).toMatchObject({
      lists: [],
      missing: [expect.stringMatching(/4 dimensions.* has 2, 3/), expect.anything()],
    })
  })

  it('keeps the vectors of another embedder apart', async () => {
    const { name } = await collect([own(0, { embedder_version: 'theirs/2' })])
    const { store } = await record()
    const askBy = (version: string) => store.search(ask(name, { dense: pending([1, 0], 2, version) }), call)
    const answer = await askBy('ours/2')
    expect(answer.lists.map(list => list.source)).toEqual(['keyword'])
    expect(answer.missing).toEqual([expect.stringMatching(/theirs\/2.*ours\/2/)])
    expect((await askBy('theirs/2')).missing).toEqual([])
  })

  const noScore = { id: 1, version: 1, score: 0.5, payload: {} }
  it.each<[string, unknown]>([
    ['no list of lists', {}],
    ['fewer lists than asked for', [{ points: [] }]],
    ['a list of another shape', [{ points: [] }, { hits: [] }, { points: [] }]],
    ['a list that is null', [null, { points: [] }, { points: [] }]],
    ['a point that is none', [{ points: [7] }, { points: [] }, { points: [] }]],
    ['a point without an id', [{ points: [{ ...noScore, id: null }] }, { points: [] }, { points: [] }]],
    ['a point with half an id', [{ points: [{ ...noScore, id: 1.5 }] }, { points: [] }, { points: [] }]],
    ['a score that is not a number', [{ points: [] }, { points: [{ ...noScore, score: Number.NaN }] }, { points: [] }]],
    ['a point without a score', [{ points: [] }, { points: [] }, { points: [{ id: 1 }] }]],
  ])('is an error, not an empty answer: %s', async (_name, result) => {
    const { name } = await collect([own(0)])
    const { store } = await record({}, ({ path }) =>
      path.endsWith('/batch') ? { body: JSON.stringify({ result, status: 'ok', time: 0 }) } : undefined,
    )
    await expect(store.search(ask(name), call)).rejects.toMatchObject({
      code: 'upstream_error',
      message: expect.stringMatching(/^Qdrant's answer was not understood: /),
    })
  })

  it.each<[string, string, unknown]>([
    ['a description of no collection', '', { status: 'green' }],
    ['a sample of another shape', '/points/scroll', []],
    ['neighbours of another shape', '/points/query', { result: [] }],
    ['neighbours without ids', '/points/query', { points: [{ score: 0, payload: own(1) }] }],
  ])('is an error, not an empty answer: %s', async (_name, rest, result) => {
    const { name } = await collect([own(0), own(1)])
    const { store } = await record({}, ({ path }) =>
      path === `/collections/${name}${rest}` ? { body: JSON.stringify({ result }) } : undefined,
    )
    await expect(store.fetchPlaces(name, [{ docId: 'd', orderIndex: 1 }], null, call)).rejects.toMatchObject({
      code: 'upstream_error',
      message: expect.stringMatching(/^Qdrant's answer was not understood: /),
    })
  })

  it('counts a distance so that nearer is larger', async () => {
    const { name } = await collect([own(0), own(1), own(2)], { distance: 'Euclid' })
    const { store } = await record()
    const { lists } = await store.search(ask(name, { dense: [1, 1.9], limit: 2 }), call)
    expect(lists[0]?.hits.map(hit => hit.chunk.id)).toEqual([3, 2])
    expect(lists[0]?.hits.map(hit => hit.score)).toEqual([expect.closeTo(-0.1, 5), expect.closeTo(-0.9, 5)])
    const wide = await store.search(ask(name, { dense: [1, 0], limit: 1 }), call)
    expect(wide.lists[0]?.hits.map(hit => [hit.chunk.id, hit.score])).toEqual([
      [1, expect.closeTo(0, 5)],
      [3, expect.closeTo(-2, 5)],
    ])
  })

  it('tells apart ids that a double cannot', async () => {
    const { name } = await collect([])
    const ids = ['9007199254740993', '9007199254740992', '18446744073709551615']
    const points = ids.map(
      (id, i) =>
        `{"id":${id},"vector":{"dense":[1,${i}],"sparse":{"indices":[1],"values":[1]}},"payload":{"text":"t"}}`,
    )
    const response = await fetch(`${engine.url}/collections/${name}/points?wait=true`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: `{"points":[${points.join(',')}]}`,
    })
    expect(response.status).toBe(200)
    const { store } = await record()
    const { lists } = await store.search(ask(name), call)
    for (const { hits } of lists) expect(hits.map(hit => String(hit.chunk.id)).sort()).toEqual([...ids].sort())
  })

  it('finds neighbours where a foreign payload keeps its fields, integers included', async () => {
    const nested = await collect(
      [0, 1, 2].map(i => ({ page_content: `p${i}`, metadata: { source: 7, chunk_index: i } })),
    )
    const { store } = await record()
    const chunks = await store.fetchPlaces(nested.name, [{ docId: '7', orderIndex: 1 }], null, call)
    expect(chunks.map(chunk => chunk.text)).toEqual(['p1'])

    const mapped = await collect([0, 1, 2].map(i => ({ body: `b${i}`, where: { file: 'f', nr: i } })))
    const mapping = { text: 'body', doc_id: 'where.file', order_index: 'where.nr' }
    const withMapping = await record({ mappings: { [mapped.name]: mapping } })
    const found = await withMapping.store.fetchPlaces(mapped.name, [{ docId: 'f', orderIndex: 2 }], null, call)
    expect(found.map(chunk => chunk.text)).toEqual(['b2'])
    expect((await withMapping.store.search(ask(mapped.name), call)).lists[0]?.hits[0]?.chunk.text).toBe('b0')
  })

  it('asks for no neighbours where the payload has no order', async () => {
    const { name } = await collect([{ text: 'a', doc_id: 'd' }])
    const { store, requests } = await record()
    expect(await store.fetchPlaces(name, [{ docId: 'd', orderIndex: 1 }], null, call)).toEqual([])
    expect(requests.some(({ path }) => path.endsWith('/query'))).toBe(false)
  })
})
