import { FakeEmbeddings } from '@langchain/core/utils/testing'
import { QdrantVectorStore } from '@langchain/qdrant'
import { QdrantVector } from '@mastra/qdrant'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'

describe('frameworks that talk to Qdrant', () => {
  let server: EmbeddedServer
  beforeAll(async () => {
    server = await startEmbeddedServer()
  })
  afterAll(() => server.close())

  it('@langchain/qdrant creates, adds, searches with a filter, diversifies and deletes', async () => {
    const store = new QdrantVectorStore(new FakeEmbeddings(), { url: server.url, collectionName: 'chain' })
    await store.addDocuments([
      { pageContent: 'first', metadata: { berth: 'north' } },
      { pageContent: 'second', metadata: { berth: 'south' } },
    ])
    const filter = { must: [{ key: 'metadata.berth', match: { value: 'south' } }] }
    const [found, ...rest] = await store.similaritySearchWithScore('any', 4, filter)
    expect(rest).toEqual([])
    expect(found?.[0].pageContent).toBe('second')
    expect(found?.[0].metadata).toEqual({ berth: 'south' })
    expect(found?.[1]).toBeCloseTo(1, 5)
    const diverse = await store.maxMarginalRelevanceSearch('any', { k: 2, fetchK: 2, lambda: 0.5 })
    expect(diverse.map(document => document.pageContent).sort()).toEqual(['first', 'second'])
    await store.delete({ filter })
    expect((await store.similaritySearch('any', 4)).map(document => document.pageContent)).toEqual(['first'])
  })

  it('@mastra/qdrant creates, upserts, queries, describes and deletes', async () => {
    const vectors = new QdrantVector({ id: 'embedded', url: server.url })
    const indexName = 'mastra'
    await vectors.createIndex({ indexName, dimension: 2, metric: 'cosine' })
    const ids = await vectors.upsert({
      indexName,
      vectors: [
        [1, 0],
        [0, 1],
      ],
      metadata: [
        { text: 'east', rank: 1 },
        { text: 'north', rank: 2 },
      ],
    })
    const found = await vectors.query({ indexName, queryVector: [0, 3], topK: 1, filter: { rank: { $gt: 1 } } })
    expect(found).toMatchObject([{ id: ids[1], score: 1, metadata: { text: 'north', rank: 2 } }])
    expect(await vectors.describeIndex({ indexName })).toMatchObject({ dimension: 2, count: 2, metric: 'cosine' })
    expect(await vectors.listIndexes()).toContain(indexName)
    await vectors.deleteVector({ indexName, id: ids[0] ?? '' })
    expect(await vectors.describeIndex({ indexName })).toMatchObject({ count: 1 })
    await vectors.deleteIndex({ indexName })
    expect(await vectors.listIndexes()).not.toContain(indexName)
  })
})
