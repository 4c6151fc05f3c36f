import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createQdrantStore } from '../../../src/adapters/qdrant/store.ts'
import type { SearchRequest } from '../../../src/core/ports.ts'
import type { JsonObject } from '../../../src/core/types.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import { pending } from '../../support/query-vectors.ts'
import { type Recorded, relay, startRecordingServer } from '../../support/recording-server.ts'
import { fill } from './support/collections.ts'
import { call } from './support/store-contract.ts'

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

const conditionOf = (tenant: string): JsonObject => ({ must: [{ key: 'tenant', match: { value: tenant } }] })
const callOf = (tenant: string) => ({ ...call, condition: conditionOf(tenant) })

/** A store before an engine whose batches can be switched off; each test has a collection of its own. */
async function openStore(collection: string, points: [tenant: string, payload?: object][], batches = true) {
  const stored = points.map(([tenant, payload], at) => ({
    id: at + 1,
    dense: [1, at],
    sparse: { indices: [1], values: [1 + at] },
    payload: { tenant, doc_id: 'd', order_index: at, text: `of ${tenant}`, ...payload },
  }))
  await fill(engine.url, { name: collection, size: 2, points: stored })
  const server = await startRecordingServer(async request =>
    !batches && request.path.endsWith('/batch') ? { status: 400, body: '{}' } : relay(engine.url, request),
  )
  const http = createQdrantHttp(server.url)
  onTestFinished(() => http.close())
  onTestFinished(() => server.close())
  const ask = (over: Partial<SearchRequest> = {}): SearchRequest => ({
    ...{ collection, filter: null, dense: [1, 0], sparse: { indices: [1], values: [1] }, limit: 9, withVectors: false },
    ...over,
  })
  return { store: createQdrantStore({ http }), requests: server.requests, ask }
}

/** The filter of every search in a request, nested ones included. */
function filtersOf({ body }: Recorded): unknown[] {
  const searches = (search: Record<string, unknown>): unknown[] => [
    search.filter,
    ...(search.prefetch ? searches(search.prefetch as Record<string, unknown>) : []),
  ]
  const sent = JSON.parse(body)
  return (sent.searches ?? [sent]).flatMap(searches)
}

it.each([
  ['in a batch', true, {}],
  ['one by one', false, {}],
  ['in turn, while the query is embedded', true, { dense: pending([1, 0], 2) }],
])(
  'searches, samples and neighbours %s all meet the condition of the tenant beside the filter',
  async (name, batches, over) => {
    const collection = `reads ${name}`
    const { store, requests, ask } = await openStore(collection, [['a'], ['b'], ['a'], ['b']], batches)
    const filter: JsonObject = { should: [{ key: 'tenant', match: { value: 'b' } }, { has_id: [1] }] }
    const { lists } = await store.search(ask({ filter, ...over }), callOf('a'))
    expect(lists.map(({ hits }) => hits.map(({ chunk }) => chunk.id))).toEqual([[1], [1]])
    const places = [0, 1, 2, 3].map(orderIndex => ({ docId: 'd', orderIndex }))
    const neighbours = await store.fetchPlaces(collection, places, null, callOf('a'))
    expect(neighbours.map(({ text }) => text)).toEqual(['of a', 'of a'])

    const filters = requests.filter(({ method }) => method === 'POST').flatMap(filtersOf)
    expect(filters.length).toBeGreaterThanOrEqual(6)
    for (const sent of filters) expect(sent).toHaveProperty('must.0', conditionOf('a'))
  },
)

it('what is known of a collection is known from the points of the tenant', async () => {
  const versions: [string, object][] = [
    ['a', { embedder_version: 'one' }],
    ['b', { embedder_version: 'two' }],
  ]
  const { store, ask } = await openStore('profiles', versions)
  const dense = pending([1, 0], 2, 'one')
  for (const [tenant, missing] of [
    ['a', []],
    ['b', [expect.stringContaining('two')]],
    ['a', []],
  ] as const)
    expect((await store.search(ask({ dense }), callOf(tenant))).missing).toEqual(missing)
})

it('a collection without a point of the tenant is looked at again', async () => {
  const { store, ask } = await openStore('filled later', [['b', { embedder_version: 'two' }]])
  const dense = pending([1, 0], 2, 'one')
  expect((await store.search(ask({ dense }), callOf('a'))).missing).toEqual([])
  const point = { id: 9, vector: { dense: [1, 0] }, payload: { tenant: 'a', text: 'new', embedder_version: 'three' } }
  await fetch(`${engine.url}/collections/filled%20later/points?wait=true`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ points: [point] }),
  })
  expect((await store.search(ask({ dense }), callOf('a'))).missing).toEqual([expect.stringContaining('three')])
})
