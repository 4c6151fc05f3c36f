import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { parseJson, printJson } from '../../src/qdrant/json.ts'
import { chunk, fill } from '../support/points.ts'
import { relay, startRecordingServer } from '../support/recording-server.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const PARENT = '0b6ad0ea-6f4c-5a4e-9d8c-1f2f6d3c0001'

/** What a search asked for arrives upstream in this place. */
interface Read {
  path: string
  query: string
  shardKey: unknown
  /** Whether it asks for points by their ids, as parents are. */
  byId: boolean
}

/** The embedded engine, which has no shards, behind a server that takes the shard keys out of what it passes on. */
async function startCluster(engine: EmbeddedServer) {
  const reads: Read[] = []
  const server = await startRecordingServer(request => {
    const [path = '', query = ''] = request.path.split('?')
    if (request.method !== 'POST') return relay(engine.url, request)
    const body = parseJson(request.body) as { searches?: Record<string, unknown>[]; shard_key?: unknown }
    const searches = body.searches ?? [body as Record<string, unknown>]
    for (const search of searches) {
      reads.push({ path, query, shardKey: search.shard_key, byId: request.body.includes('has_id') })
      delete search.shard_key
    }
    return relay(engine.url, { ...request, path, body: printJson(body) })
  })
  return { ...server, reads }
}

let engine: EmbeddedServer
let cluster: Awaited<ReturnType<typeof startCluster>>
let stowage: Stowage
beforeAll(async () => {
  engine = await startEmbeddedServer()
  const family = { doc_id: 'doc', section_path: 'Locks', parent_id: PARENT, content_hash: 'h' }
  await fill(engine.url, 'harbour', [
    chunk(1, 'The sluice is opened at dawn.', { ...family, order_index: 0 }),
    chunk(2, 'The bell of the sluice hangs over the gate.', { ...family, order_index: 1 }),
    chunk(3, 'Nobody rings on sundays.', { ...family, order_index: 2 }),
    { id: PARENT, payload: { text: 'The sluice, the bell, the sundays.', doc_id: 'doc', is_parent: true } },
  ])
  cluster = await startCluster(engine)
  stowage = await openStowage({ QDRANT_URL: cluster.url, PACKING_PARENT_EXPANSION: '0.5' })
})
afterAll(async () => {
  await stowage.close()
  await cluster.close()
  await engine.close()
})

const key = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8 }).filter(text => text.isWellFormed()),
  fc.nat(),
  fc.constant(18446744073709551615n),
)
const options = fc.record(
  {
    consistency: fc.constantFrom(1, 3, 'majority', 'quorum', 'all'),
    timeout: fc.integer({ min: 1, max: 600 }),
    shard_key: fc.oneof(key, fc.array(key, { minLength: 1, maxLength: 3 }), fc.record({ target: key, fallback: key })),
  },
  { requiredKeys: [] },
)
const readTo = (reads: readonly Read[], rest: string) => reads.filter(({ path }) => path.endsWith(rest))

/** Each read has the parameters and the shard key, and no other. */
function expectAll(reads: readonly Read[], { consistency, timeout, shard_key }: Record<string, unknown>) {
  for (const { query, shardKey } of reads) {
    expect(shardKey).toEqual(shard_key)
    const wanted = Object.entries({ consistency, timeout }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    expect([...new URLSearchParams(query)].sort()).toEqual(wanted.sort())
  }
}

let turn = 0

describe('reads of a cluster', () => {
  it('carry consistency, timeout and shard key in every read of /v1/context, also of neighbours and parents', async () => {
    await fc.assert(
      fc.asyncProperty(options, async asked => {
        cluster.reads.length = 0
        const { status, json } = await stowage.ask({ query: `sluice bell ${turn++}`, collection: 'harbour', ...asked })
        expect(status).toBe(200)
        expect(json.chunks.length).toBeGreaterThan(0)
        expect(readTo(cluster.reads, '/points/query/batch')).not.toEqual([])
        const follow = readTo(cluster.reads, '/points/query')
        expect(new Set(follow.map(({ byId }) => byId))).toEqual(new Set([false, true]))
        expectAll(cluster.reads, asked)
      }),
      { numRuns: 25 },
    )
  })

  it('carry them in every read of an improved search, single and in a batch', async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.boolean(), async ({ shard_key, consistency, timeout }, isBatch) => {
        cluster.reads.length = 0
        const given = Object.entries({ consistency, timeout: timeout && timeout + 60 }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`],
        )
        const search = { query: { text: 'sluice bell', model: 'qdrant/bm25' }, using: 'sparse', limit: 3, shard_key }
        const path = `/collections/harbour/points/query${isBatch ? '/batch' : ''}?${given.join('&')}`
        const sent = await fetch(stowage.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-stowage-query': 'sluice%20bell' },
          body: printJson(isBatch ? { searches: [search, search] } : search),
        })
        expect(sent.status).toBe(200)
        expect(sent.headers.get('x-stowage-applied')).not.toBe('passthrough')
        expect(cluster.reads.length).toBeGreaterThan(0)
        expectAll(cluster.reads, { consistency, shard_key, timeout: timeout && timeout + 60 })
      }),
      { numRuns: 25 },
    )
  })

  it.each(['?explain=true', '?consistency=1&consistency=all', '?Consistency=all'])(
    'leave a search with the parameters %s to Qdrant as it is',
    async parameters => {
      cluster.reads.length = 0
      const answer = await fetch(`${stowage.url}/collections/harbour/points/query${parameters}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-stowage-query': 'sluice' },
        body: '{"query":{"text":"sluice","model":"qdrant/bm25"},"using":"sparse","limit":3}',
      })
      expect(answer.headers.get('x-stowage-degraded')).toBe('query_not_understood')
      expect(cluster.reads).toEqual([
        { path: '/collections/harbour/points/query', query: parameters.slice(1), shardKey: undefined, byId: false },
      ])
    },
  )

  it.each<[string, unknown, string?]>([
    ['consistency', 0],
    ['consistency', 'most'],
    ['consistency', 1.5],
    ['timeout', 0],
    ['timeout', '5'],
    ['shard_key', ''],
    ['shard_key', []],
    ['shard_key', -1],
    ['shard_key', 18446744073709551616n],
    ['shard_key', { target: 'a' }],
    ['shard_key', { target: 'a', fallback: 'b', more: 1 }, 'shard_key.more'],
  ])('refuse %s: %s', async (field, value, named = field) => {
    const { status, json } = await stowage.ask({ query: 'sluice', collection: 'harbour', [field]: value })
    expect(status).toBe(400)
    expect(json.error.details?.[0]?.field).toBe(named)
  })

  it.each([[true], [{ target: 1 }]])('say what a shard key may be when it is %j', async shardKey => {
    const { json } = await stowage.ask({ query: 'sluice', collection: 'harbour', shard_key: shardKey })
    expect(json.error.message).toMatch(/^Invalid request: shard_key: must be a shard key \(/u)
  })
})
