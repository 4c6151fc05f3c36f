import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ContextualizeTarget } from '../../../src/commands/contextualize.ts'
import { loadConfig } from '../../../src/config.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createQdrantHttp, type QdrantHttp } from '../../../src/qdrant/client.ts'
import { encodeBm25Document } from '../../../src/text/qdrant-bm25.ts'
import { environmentOf } from '../../../src/wiring/contexts/contextualize.ts'
import { pointsOf, rawPoints, temporaryFolder } from '../../contextualize/support/live-world.ts'
import { send } from '../../support/send.ts'

let engine: EmbeddedServer
let http: QdrantHttp
let place: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  engine = await startEmbeddedServer()
  http = createQdrantHttp(engine.url)
})
afterAll(async () => {
  await http.close()
  await engine.close()
})
beforeEach(() => {
  place = temporaryFolder()
})
afterEach(() => place.remove())

/** A collection without dense vectors: no embedder is needed. */
async function createSparse(collection: string, ids: readonly number[]): Promise<void> {
  await send(engine.url, 'PUT', `/collections/${collection}`, { sparse_vectors: { sparse: { modifier: 'idf' } } })
  const points = ids.map(id => {
    const text = `The valve ${id} of ${collection} opens at ${id + 7} bar.`
    return { id, payload: { doc_id: 'a', order_index: id, text }, vector: { sparse: encodeBm25Document(text) } }
  })
  await send(engine.url, 'PUT', `/collections/${collection}/points?wait=true`, { points })
}

async function run(target: Partial<ContextualizeTarget> & { collection: string }) {
  const config = loadConfig({ EMBEDDER: 'none', CONTEXT_STATE_FOLDER: place.folder })
  const given: ContextualizeTarget = { context: 'rules', onlyPayload: false, ...target }
  const environment = await environmentOf(config, given, { http, apiKey: null })
  return environment.run(() => {}, new AbortController().signal)
}

describe('a copy with contexts', () => {
  it('is refused in the place of a collection of others, whose points it would remove', async () => {
    await createSparse('docs', [1, 2, 3])
    await createSparse('faq', [2, 3, 4, 5])
    const before = await rawPoints(engine.url, 'faq')
    await expect(run({ collection: 'docs', into: 'faq' })).rejects.toThrow('they would be lost')
    expect(await rawPoints(engine.url, 'faq')).toBe(before)
    // What stowage made is taken up again, also after the source has changed as a whole, and only for the same source.
    expect(await run({ collection: 'docs', into: 'docs-2' })).toMatchObject({ stored: 3, left: 0 })
    await send(engine.url, 'POST', '/collections/docs/points/payload?wait=true', { payload: { seen: 1 }, filter: {} })
    expect(await run({ collection: 'docs', into: 'docs-2' })).toMatchObject({ stored: 3, left: 0 })
    await expect(run({ collection: 'faq', into: 'docs-2' })).rejects.toThrow('they would be lost')
    expect(await pointsOf(engine.url, 'docs-2')).toHaveLength(3)
  })

  it('is refused under another name of its source, which stays as it is', async () => {
    await createSparse('blue', [1, 2])
    const actions = [{ create_alias: { alias_name: 'live', collection_name: 'blue' } }]
    await send(engine.url, 'POST', '/collections/aliases', { actions })
    const before = await rawPoints(engine.url, 'blue')
    await expect(run({ collection: 'blue', into: 'live' })).rejects.toThrow('are the same collection')
    await expect(run({ collection: 'live', into: 'blue' })).rejects.toThrow('are the same collection')
    expect(await rawPoints(engine.url, 'blue')).toBe(before)
  })
})
