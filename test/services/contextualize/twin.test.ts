import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLiveCollection } from '../../../src/adapters/contextualize/live-collection.ts'
import { openQdrantTwin } from '../../../src/adapters/contextualize/qdrant-twin.ts'
import { copyMarkIn, openState } from '../../../src/contextualize/state/state-folder.ts'
import { contextualizeInto, prepareTwin } from '../../../src/contextualize/twin/blue-green.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createQdrantHttp, type QdrantHttp } from '../../../src/qdrant/client.ts'
import {
  createCollection,
  fakeWriter,
  faultsOf,
  hashEmbedder,
  NO_PARTITION,
  pointsOf,
  rawPoints,
  seedPoints,
  temporaryFolder,
  withPlainVectors,
} from '../../contextualize/support/live-world.ts'
import { send } from '../../support/send.ts'

let engine: EmbeddedServer
let http: QdrantHttp
beforeAll(async () => {
  engine = await startEmbeddedServer()
  http = createQdrantHttp(engine.url)
})
afterAll(async () => {
  await http.close()
  await engine.close()
})

describe('a twin with contexts', () => {
  it('has the points, indexes and parameters of its source, also of writes meanwhile, and takes the alias at the end', async () => {
    await createCollection(engine.url, 'blue', await seedPoints({ a: 30, b: 4 }))
    await send(engine.url, 'PUT', '/collections/blue/index?wait=true', {
      field_name: 'tenant',
      field_schema: { type: 'keyword', is_tenant: true },
    })
    await send(engine.url, 'POST', '/collections/aliases', {
      actions: [{ create_alias: { alias_name: 'live', collection_name: 'blue' } }],
    })
    const place = temporaryFolder()
    mkdirSync(place.folder, { recursive: true })
    const server = { http, apiKey: null }
    const [source, collection] = ['blue', 'green'].map(name => openLiveCollection({ ...server, collection: name })) as [
      ReturnType<typeof openLiveCollection>,
      ReturnType<typeof openLiveCollection>,
    ]
    const twin = openQdrantTwin({ ...server, source: 'blue', twin: 'green' })
    const signal = new AbortController().signal
    await prepareTwin(source, { collection, twin, mark: copyMarkIn(place.folder) }, signal)
    let writes = 0
    const writer = fakeWriter({
      write: async request => {
        // Others write to the source while contexts are written.
        if (++writes === 5) {
          const fresh = await withPlainVectors([
            { id: 3, payload: { doc_id: 'a', order_index: 2, text: 'replaced meanwhile' } },
          ])
          await send(engine.url, 'PUT', '/collections/blue/points?wait=true', { points: fresh })
          await send(engine.url, 'POST', '/collections/blue/points/delete?wait=true', { points: [4] })
        }
        return fakeWriter().write(request, signal)
      },
    })
    const state = openState(place.folder, () => () => {})
    const result = await contextualizeInto(
      source,
      { collection, twin },
      {
        ...{
          collection,
          writer,
          rules: fakeWriter(),
          embedder: hashEmbedder(),
          state,
          budget: null,
          partition: NO_PARTITION,
        },
        ...{
          encoding: { dense: 'dense', sparse: 'sparse', plain: 'titled' as const, keywords: 'stowage' as const },
          mustStay: async () => new Set<string>(),
        },
      },
      { alias: 'live', onProgress: () => {}, signal },
    )
    state.close()
    place.remove()
    // 33 points at the end: one was replaced and one removed after both had their contexts.
    expect(result).toMatchObject({ points: 33, before: 0, stored: 35, left: 0, stoppedBy: null })
    expect(await faultsOf(engine.url, 'green', 'fake-1')).toEqual([])
    const [blue, green] = [await pointsOf(engine.url, 'blue'), await pointsOf(engine.url, 'green')]
    expect(green.map(({ id, payload }) => [id, payload.text])).toEqual(
      blue.map(({ id, payload }) => [id, payload.text]),
    )
    expect(green.map(({ id }) => id)).not.toContain(4)
    expect(blue.some(({ payload }) => 'context' in payload)).toBe(false)
    const info = async (name: string) =>
      (await send<{ result: { config: object; payload_schema: object } }>(engine.url, 'GET', `/collections/${name}`))
        .json.result
    expect((await info('green')).config).toEqual((await info('blue')).config)
    expect(Object.keys((await info('green')).payload_schema)).toEqual(['tenant'])
    expect(await rawPoints(engine.url, 'live')).toBe(await rawPoints(engine.url, 'green'))
  })
})
