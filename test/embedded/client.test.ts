import { QdrantClient } from '@qdrant/js-client-rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'

describe('the official JS client against the embedded engine', () => {
  let server: EmbeddedServer
  let client: QdrantClient

  beforeAll(async () => {
    server = await startEmbeddedServer()
    client = new QdrantClient({ url: server.url })
  })
  afterAll(() => server.close())

  it('runs a full round: create, upsert, hybrid query, scroll, retrieve, count, change, delete', async () => {
    const name = 'harbour'
    expect(await client.collectionExists(name)).toEqual({ exists: false })
    await client.createCollection(name, {
      vectors: { dense: { size: 3, distance: 'Cosine' } },
      sparse_vectors: { words: { modifier: 'idf' } },
    })
    expect((await client.getCollections()).collections).toEqual([{ name }])
    await client.createPayloadIndex(name, { field_name: 'berth', field_schema: 'keyword', wait: true })
    const texts = ['grain ship at the north berth', 'tug boats tow the grain ship', 'harbour master office hours']
    const vectors = [
      [1, 0, 0],
      [0.9, 0.1, 0],
      [0, 0, 2],
    ]
    const upserted = await client.upsert(name, {
      wait: true,
      points: texts.map((text, i) => ({
        id: i + 1,
        vector: { dense: vectors[i] ?? [], words: { text, model: 'qdrant/bm25' } },
        payload: { text, berth: i === 2 ? 'south' : 'north', order: i },
      })),
    })
    expect(upserted).toEqual({ operation_id: 1, status: 'completed' })

    const hybrid = await client.query(name, {
      prefetch: [
        { query: [1, 0, 0], using: 'dense', limit: 20 },
        { query: { text: 'grain tow', model: 'qdrant/bm25' }, using: 'words', limit: 20 },
      ],
      query: { fusion: 'rrf' },
      limit: 3,
      with_payload: ['order'],
    })
    // Both lists: dense ranks 1,2,3; words ranks 2,1. With k = 2, ids 1 and 2 tie at 1/2 + 1/3.
    expect(hybrid.points.map(point => point.id)).toEqual([1, 2, 3])
    expect(hybrid.points[0]?.score).toBeCloseTo(5 / 6, 6)
    expect(hybrid.points[1]?.payload).toEqual({ order: 1 })

    const nearest = await client.query(name, { query: [0, 0, 1], using: 'dense', limit: 1, with_vector: true })
    expect(nearest.points[0]).toMatchObject({ id: 3, score: 1, vector: { dense: [0, 0, 1] } })
    expect(nearest.points[0]?.payload).toBeUndefined()

    const page = await client.scroll(name, {
      limit: 2,
      filter: { must: [{ key: 'berth', match: { value: 'north' } }] },
    })
    expect(page.points.map(point => point.id)).toEqual([1, 2])
    expect(page.next_page_offset).toBeNull()
    expect((await client.scroll(name, { limit: 2 })).next_page_offset).toBe(3)
    expect((await client.retrieve(name, { ids: [3, 9, 1] })).map(point => point.id)).toEqual([3, 1])

    await client.setPayload(name, { wait: true, payload: { lang: 'en' }, points: [1] })
    expect((await client.retrieve(name, { ids: [1] }))[0]?.payload).toEqual({
      text: texts[0],
      berth: 'north',
      order: 0,
      lang: 'en',
    })
    const legacy = await client.search(name, { vector: { name: 'dense', vector: [1, 0, 0] }, limit: 2 })
    expect(legacy.map(hit => hit.id)).toEqual([1, 2])

    expect(await client.count(name)).toEqual({ count: 3 })
    await client.delete(name, { wait: true, filter: { must: [{ key: 'berth', match: { value: 'north' } }] } })
    expect(await client.count(name)).toEqual({ count: 1 })
    const info = await client.getCollection(name)
    expect(info).toMatchObject({ status: 'green', points_count: 1 })
    expect(info.config.params.sparse_vectors).toEqual({ words: { modifier: 'idf' } })
    expect(info.payload_schema).toEqual({ berth: { data_type: 'keyword', points: 1 } })
    expect(await client.deleteCollection(name)).toBe(true)
    expect(await client.deleteCollection(name)).toBe(false)
  })
})
