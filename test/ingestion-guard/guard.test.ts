import { QdrantClient } from '@qdrant/js-client-rest'
import { afterEach, describe, expect, it } from 'vitest'
import { createManagedCollections } from '../../src/adapters/qdrant/managed.ts'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { allPoints, createFakeEmbedder, dependencies } from '../support/ingest-world.ts'
import { startRecordingServer } from '../support/recording-server.ts'
import { send, sendOk } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { openStowage } from '../support/stowage.ts'
import { openGuarded, pointOf } from './support/guarded.ts'

const stage = createStage()
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  await stage.close()
  for (const close of open.splice(0).reverse()) await close()
})

const document = { docId: 'bell', title: 'Bell', text: '# Bell\n\nRing the bell twice to open the sluice.' }

/** stowage in front of an engine with the collection `docs` that ingest made. */
async function openManaged(environment: Record<string, string> = {}, version = 'A') {
  const engine = await startEmbeddedServer()
  const embedder = createFakeEmbedder(version)
  await ingest([document], dependencies(engine.url, embedder), { collection: 'docs' })
  const stowage = await openStowage({ QDRANT_URL: engine.url, ...environment })
  open.push(engine.close, stowage.close)
  return { engine, stowage, embedder }
}

const vector = { dense: [1, 2, 3, 4] }
const point = (id: number, payload: Record<string, unknown> = {}) => ({ ...pointOf(id, payload), vector })
const PUT = ['PUT', '/collections/docs/points?wait=true'] as const

describe('the ingestion guard', () => {
  it('refuses points of another embedder in the shape of Qdrant, and the client raises its own error', async () => {
    const { engine, stowage } = await openManaged()
    const points = [1, 2, 3, 4, 5, 6, 7, 8].map(id => point(id, { embedder_version: id > 1 ? 'B' : 'A' }))
    const { status, json } = await stowage.send(...PUT, { points })
    expect([status, json]).toEqual([422, { status: { error: expect.any(String) }, time: 0 }])
    const { error } = (json as { status: { error: string } }).status
    for (const part of ['docs', 'embedder_version: "B" in 7 of 8 points', '(ids 2, 3, 4, 5, 6 and 2 more)', 'of "A"'])
      expect(error).toContain(part)
    expect(error).toContain('INGESTION_GUARD_ALLOW_MIXED=on')
    const client = new QdrantClient({ url: stowage.url, checkCompatibility: false })
    const raised = await client.upsert('docs', { wait: true, points }).catch((cause: unknown) => cause)
    expect(raised).toBeInstanceOf(client.api().upsertPoints.Error)
    expect(raised).toMatchObject({ status: 422, data: { status: { error } } })
    await expect(client.batchUpdate('docs', { operations: [{ upsert: { points } }] })).rejects.toMatchObject({
      status: 422,
    })
    expect(await allPoints(engine.url, 'docs')).toHaveLength(1)
  })

  it('lets points that fit go on, and names every field that does not', async () => {
    const { engine, stowage } = await openManaged()
    const free = { pages: [1, 2], source: 7, acl: [], lang: null, order_index: 3 }
    expect((await stowage.send(...PUT, { points: [point(1, free)] })).status).toBe(200)
    expect(await allPoints(engine.url, 'docs')).toHaveLength(2)
    const wrong = [point(2, { text: ' ' }), { id: 3, vector }, point(4, { order_index: 1.5, acl: 'all' })]
    const { status, text } = await stowage.send(...PUT, { points: wrong })
    expect(status).toBe(422)
    for (const part of [
      'text: missing in 2 of 3 points (ids 2, 3).',
      'doc_id: missing in 1 of 3 points (ids 3).',
      'embedder_version: missing in 1 of 3 points (ids 3).',
      'order_index: 1.5 in 1 of 3 points (ids 4) must be a whole number from 0.',
      'acl: \\"all\\" in 1 of 3 points (ids 4) must be a list of texts.',
    ])
      expect(text).toContain(part)
  })

  it('knows the fields of contexts', async () => {
    const { stowage } = await openManaged()
    const fields = { context: 'Of the bell.', context_model: 'rules', context_version: 'v', context_tokens: 4 }
    for (const context_quality of [0, 0.75, 1])
      expect((await stowage.send(...PUT, { points: [point(1, { ...fields, context_quality })] })).status).toBe(200)
    const wrong = { context: 7, context_model: [], context_version: 1, context_tokens: 1.5, context_quality: 1.2 }
    const { status, text } = await stowage.send(...PUT, { points: [point(2, wrong)] })
    expect(status).toBe(422)
    for (const part of [
      'context: 7 in 1 of 1 points (ids 2) must be a text.',
      'context_model: [] in',
      'context_version: 1 in',
      'context_tokens: 1.5 in 1 of 1 points (ids 2) must be a whole number from 0.',
      'context_quality: 1.2 in 1 of 1 points (ids 2) must be a number from 0 to 1.',
    ])
      expect(text).toContain(part)
  })

  it.each([
    [{ INGESTION_GUARD: 'warn' }, 1],
    [{ INGESTION_GUARD_ALLOW_MIXED: 'on' }, 0],
    [{ INGESTION_GUARD: 'off' }, null],
  ])('lets another embedder pass with %j', async (environment, warnings) => {
    const { engine, stowage } = await openManaged(environment as Record<string, string>)
    expect((await stowage.send(...PUT, { points: [point(1, { embedder_version: 'B' })] })).status).toBe(200)
    expect(await allPoints(engine.url, 'docs')).toHaveLength(2)
    const { text } = await stowage.send('GET', '/v1/metrics')
    const series = 'stowage_guarded_upserts_total{action="warned",reason="embedder_version"}'
    expect(text).toContain(`${series} ${warnings ?? 0}`)
  })

  it.each(['//collections//docs//points/', '/%63ollections/docs/%70oints', 'http://qdrant/collections/docs/points#x'])(
    'sees an upsert behind %s',
    async path => {
      const { url, events, received } = await openGuarded(stage)
      const { host, port } = { host: '127.0.0.1', port: Number(new URL(url).port) }
      const body = JSON.stringify({ points: [pointOf(1, { embedder_version: 'B' })] })
      const { request } = await import('node:http')
      const status = await new Promise(resolve => {
        const headers = { 'content-type': 'application/json' }
        request({ host, port, path, method: 'PUT', headers }, answer => resolve(answer.resume().statusCode)).end(body)
      })
      expect([status, events.length, received.length]).toEqual([422, 1, 0])
    },
  )

  it('does not look at other requests', async () => {
    const { url, reads, received } = await openGuarded(stage)
    for (const [method, path] of [
      ['PUT', '/collections/c'],
      ['PUT', '/collections/c/points/payload'],
      ['POST', '/collections/c/points/delete'],
      ['PUT', '/collections/c/points/vectors'],
    ] as const)
      await send(url, method, path, '{')
    expect([reads.length, received.length]).toEqual([0, 4])
  })
})

describe('what the guard knows of a collection', () => {
  it('is asked once, and again before a refusal: a collection that was made anew takes its new embedder', async () => {
    const script = { version: 'A' }
    const { url, reads, received } = await openGuarded(stage, script)
    const write = async (version: string) =>
      (await send(url, 'PUT', '/collections/c/points', { points: [pointOf(1, { embedder_version: version })] })).status
    expect([await write('A'), await write('A'), reads.length]).toEqual([200, 200, 2])
    script.version = 'B'
    expect([await write('B'), reads.length, received.length]).toEqual([200, 4, 3])
    expect(await write('A')).toBe(422)
  })

  it('follows the first points of an empty collection', async () => {
    const script: { version: string | null } = { version: null }
    const { url } = await openGuarded(stage, script)
    const write = async (...versions: string[]) => {
      const points = versions.map((version, id) => pointOf(id, { embedder_version: version }))
      return (await send(url, 'PUT', '/collections/c/points', { points })).status
    }
    expect(await write('B', 'A')).toBe(422)
    expect(await write('B', 'B')).toBe(200)
    script.version = 'B'
    expect([await write('A'), await write('B')]).toEqual([422, 200])
  })

  it.each([403, 500, 503])(
    'is nothing when Qdrant answers %i: the upsert passes, and Qdrant is left alone',
    async info => {
      const { url, events, reads, received } = await openGuarded(stage, { info })
      for (const _ of [1, 2])
        expect((await send(url, 'PUT', '/collections/c/points', { points: [{ id: 1 }] })).status).toBe(200)
      expect(events).toMatchObject([1, 2].map(() => ({ action: 'passed', reason: 'unchecked' })))
      expect([reads.length, received.length]).toEqual([1, 2])
    },
  )

  it('does not count a collection that does not exist', async () => {
    const { url, events } = await openGuarded(stage, { info: 404 })
    expect((await send(url, 'PUT', '/collections/c/points', { points: [{ id: 1 }] })).status).toBe(200)
    expect(events).toEqual([])
  })

  it('comes from a setting too, with patterns', async () => {
    const engine = await startEmbeddedServer()
    const stowage = await openStowage({ QDRANT_URL: engine.url, MANAGED_COLLECTIONS: 'other, team-*' })
    open.push(engine.close, stowage.close)
    const statusIn = async (collection: string) => {
      await sendOk(engine.url, 'PUT', `/collections/${collection}`, { vectors: { size: 2, distance: 'Dot' } })
      const points = [{ id: 1, vector: [1, 2], payload: { page_content: 'text' } }]
      return (await stowage.send('PUT', `/collections/${collection}/points`, { points })).status
    }
    expect([await statusIn('mine'), await statusIn('other'), await statusIn('team-a')]).toEqual([200, 422, 422])
  })

  it('recognizes what ingest made before it wrote metadata, and can be released', async () => {
    const { engine, stowage } = await openManaged()
    const info = await send<{ result: { config: { metadata: unknown } } }>(engine.url, 'GET', '/collections/docs')
    expect(info.json.result.config.metadata).toEqual({ stowage: { managed: true } })
    const vectors = { dense: { size: 4, distance: 'Cosine' } }
    await sendOk(engine.url, 'PUT', '/collections/old', { vectors, sparse_vectors: { sparse: { modifier: 'idf' } } })
    const bad = { points: [{ id: 1, vector, payload: {} }] }
    expect((await stowage.send('PUT', '/collections/old/points', bad)).status).toBe(200)
    await ingest([document], dependencies(engine.url, createFakeEmbedder('A')), { collection: 'old' })
    const later = await openStowage({ QDRANT_URL: engine.url })
    open.push(later.close)
    expect((await later.send('PUT', '/collections/old/points', bad)).status).toBe(422)
    await sendOk(engine.url, 'PATCH', '/collections/old', { metadata: { stowage: { managed: false } } })
    expect((await later.send('PUT', '/collections/old/points', bad)).status).toBe(200)
  })

  it('is learned from the points of the tenant alone, with its key', async () => {
    const condition = { key: 'tenant', match: { value: 'acme' } }
    const server = await startRecordingServer(({ method }) => {
      const metadata = { stowage: { managed: true } }
      const info = { config: { params: { vectors: {} }, metadata }, points_count: 1 }
      return { body: JSON.stringify({ result: method === 'GET' ? info : { points: [] } }) }
    })
    open.push(server.close)
    const collections = createManagedCollections(createQdrantHttp(server.url), () => false)
    const scope = { collection: 'c', apiKey: 'own', condition }
    expect(await collections.look(scope)).toEqual({ embedderVersion: null })
    await collections.look(scope)
    expect(server.requests.map(({ method, headers }) => [method, headers['api-key']])).toEqual([
      ['GET', 'own'],
      ['POST', 'own'],
    ])
    expect(JSON.parse(server.requests[1]?.body ?? '').filter.must).toEqual([condition])
    await collections.look({ ...scope, condition: null })
    expect(server.requests).toHaveLength(4)
  })
})
