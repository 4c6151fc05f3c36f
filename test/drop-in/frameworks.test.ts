import { QdrantVectorStore } from '@langchain/qdrant'
import { QdrantVector } from '@mastra/qdrant'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { LetterEmbeddings } from '../support/letter-embeddings.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { STAGES_OR_NONE } from './support/improving.ts'

const BERTHS = [
  'The north berth takes two barges; its crane lifts four tons.',
  'The south berth is closed from dusk until the harbour bell.',
  'Ring the bell twice to open the sluice of the inner basin.',
  'Tariffs: a barge pays three marks a night, a skiff one mark.',
]

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

describe.each(['improve', 'passthrough'])('frameworks through stowage (%s)', mode => {
  let stowage: Stowage
  beforeAll(async () => {
    stowage = await openStowage({ QDRANT_URL: engine.url, STOWAGE_DROPIN: mode })
  })
  afterAll(() => stowage.close())

  /** What was done to the searches since the last look. */
  const appliedToSearches = () =>
    stowage.answered
      .splice(0)
      .filter(({ request }) => request.includes('/points/query'))
      .map(({ applied }) => applied)
  const improved = mode === 'improve' ? expect.stringMatching(STAGES_OR_NONE) : null

  it('@langchain/qdrant creates, adds, searches with a filter, diversifies and deletes', async () => {
    const store = new QdrantVectorStore(new LetterEmbeddings(), { url: stowage.url, collectionName: `chain-${mode}` })
    await store.addDocuments(
      BERTHS.map((pageContent, index) => ({ pageContent, metadata: { index, half: index < 2 ? 'first' : 'last' } })),
    )
    const found = await store.similaritySearchWithScore(BERTHS[2] ?? '', 3)
    expect(found.map(([document]) => document.pageContent)).toEqual(expect.arrayContaining([BERTHS[2]]))
    expect(found).toHaveLength(3)
    const scores = found.map(([, score]) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(appliedToSearches()).toEqual([improved])

    const filter = { must: [{ key: 'metadata.half', match: { value: 'first' } }] }
    const filtered = await store.similaritySearch('bell', 4, filter)
    expect(filtered.map(document => document.metadata.index).sort()).toEqual([0, 1])
    expect(appliedToSearches()).toEqual([improved])

    expect(await store.maxMarginalRelevanceSearch('bell', { k: 2, fetchK: 4, lambda: 0.5 })).toHaveLength(2)
    expect(appliedToSearches()).toEqual([mode === 'improve' ? 'passthrough' : null])
    await store.delete({ filter })
    expect((await store.similaritySearch('bell', 4)).map(document => document.metadata.index).sort()).toEqual([2, 3])
    const { points } = await store.client.scroll(`chain-${mode}`, { limit: 10 })
    expect(points).toHaveLength(2)
  })

  it('@mastra/qdrant creates, upserts, queries, describes and deletes', async () => {
    const vectors = new QdrantVector({ id: mode, url: stowage.url })
    const indexName = `mastra-${mode}`
    await vectors.createIndex({ indexName, dimension: 8, metric: 'euclidean' })
    const embeddings = await new LetterEmbeddings().embedDocuments(BERTHS)
    const ids = await vectors.upsert({
      indexName,
      vectors: embeddings,
      metadata: BERTHS.map((text, rank) => ({ text, rank })),
    })
    stowage.answered.length = 0
    const found = await vectors.query({ indexName, queryVector: embeddings[1] ?? [], topK: 3, includeVector: true })
    expect(found).toHaveLength(3)
    expect(found.map(({ id }) => id)).toContain(ids[1])
    // A Euclidean list starts with the smallest distance.
    const scores = found.map(({ score }) => score)
    expect(scores[0]).toBe(0)
    expect(scores).toEqual([...scores].sort((a, b) => a - b))
    expect(found.every(({ vector }) => vector?.length === 8)).toBe(true)
    const filtered = await vectors.query({
      indexName,
      queryVector: embeddings[1] ?? [],
      topK: 3,
      filter: { rank: { $gt: 1 } },
    })
    expect(filtered.map(({ metadata }) => metadata?.rank).sort()).toEqual([2, 3])
    expect(appliedToSearches()).toEqual([improved, improved])
    await vectors.deleteVector({ indexName, id: ids[0] ?? '' })
    expect(await vectors.describeIndex({ indexName })).toMatchObject({ count: 3 })
    await vectors.deleteIndex({ indexName })
    expect(await vectors.listIndexes()).not.toContain(indexName)
  })
})
