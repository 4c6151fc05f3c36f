import { QdrantVectorStore } from '@langchain/qdrant'
import { QdrantVector } from '@mastra/qdrant'
import { QdrantClient } from '@qdrant/js-client-rest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { Step } from '../../src/http/step.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { createFakeEmbedder, dependencies } from '../support/ingest-world.ts'
import { LetterEmbeddings, letterVector } from '../support/letter-embeddings.ts'
import { createStage } from '../support/stage.ts'
import { ACME_KEY, type Access, answersTo, comparable, openTwoWorlds, WHOLE_KEY } from './support/two-worlds.ts'

const TEXTS = [
  'The north berth takes two barges; its crane lifts four tons.',
  'The south berth is closed from dusk until the harbour bell.',
  'Ring the bell twice to open the sluice of the inner basin.',
  'Tariffs: a barge pays three marks a night, a skiff one mark.',
  'The pilot boards at the outer buoy, an hour before high water.',
]
const uuid = (id: number) => `aaaaaaaa-0000-4000-8000-${String(id).padStart(12, '0')}`

/** Points of beta that would come before those of acme in every search. */
const foreignPoints = (
  payloadOf: (text: string, at: number) => object,
  vectors = (vector: number[]): unknown => vector,
) =>
  [...TEXTS, ...TEXTS].map((text, at) => ({
    id: at % 2 === 0 ? 9_000 + at : uuid(9_000 + at),
    vector: vectors(letterVector(text)),
    payload: { ...payloadOf(text, at), tenant: 'beta' },
  }))

/** What a program with the official client does, all answers and errors. */
function clientScript({ url, apiKey }: Access) {
  const client = new QdrantClient({ url, ...(apiKey && { apiKey }) })
  const name = 'shared-docs'
  const words = (at: number) => ({ indices: [at % 3, 5 + at], values: [1, 2 + at] })
  const point = (id: number | string, at: number) => ({
    id,
    vector: { dense: letterVector(TEXTS[at] ?? ''), words: words(at) },
    payload: { text: TEXTS[at], rank: at, half: at < 2 ? 'first' : 'last', nested: { tags: ['a', `t${at}`] } },
  })
  const first = { key: 'half', match: { value: 'first' } }
  const everything = { limit: 20, with_payload: true, with_vector: true }
  const dense = letterVector('bell and barge')
  return answersTo({
    collections: () => client.getCollections(),
    exists: () => client.collectionExists(name),
    'empty: collection': () => client.getCollection(name),
    'empty: count': () => client.count(name),
    'empty: query': () => client.query(name, { query: dense, using: 'dense' }),
    upsert: () => client.upsert(name, { wait: true, points: [point(1, 0), point(2, 1), point(uuid(1), 2)] }),
    'upsert columns': () =>
      client.upsert(name, {
        wait: true,
        batch: {
          ids: [3, uuid(2)],
          vectors: { dense: [letterVector(TEXTS[3] ?? ''), letterVector(TEXTS[4] ?? '')], words: [words(3), words(4)] },
          payloads: [point(3, 3).payload, point(3, 4).payload],
        },
      }),
    'upsert without a payload': () => client.upsert(name, { wait: true, points: [{ id: 4, vector: { dense } }] }),
    'upsert of a wrong size': () => client.upsert(name, { points: [{ id: 5, vector: { dense: [1] } }] }),
    collection: () => client.getCollection(name),
    count: () => client.count(name, { exact: true }),
    'count with a filter': () => client.count(name, { filter: { must: [first] } }),
    scroll: () => client.scroll(name, everything),
    'scroll in pages': async () => {
      const pages = []
      let offset: number | string | undefined
      do {
        const page = await client.scroll(name, { limit: 2, ...(offset !== undefined && { offset }) })
        pages.push(page)
        offset = page.next_page_offset as number | string | undefined
      } while (offset !== null && offset !== undefined)
      return pages
    },
    'scroll with negations': () =>
      client.scroll(name, { filter: { must_not: [first], should: [{ has_id: [1, 3, uuid(2), 9_000] }] } }),
    retrieve: () => client.retrieve(name, { ids: [uuid(1), 3, 1, 3, 77, uuid(77)], with_vector: true }),
    'retrieve nothing': () => client.retrieve(name, { ids: [77] }),
    'retrieve parts': () =>
      client.retrieve(name, { ids: [2], with_payload: ['rank', 'nested.tags'], with_vector: ['words'] }),
    query: () => client.query(name, { query: dense, using: 'dense', ...everything }),
    'query with a threshold': () =>
      client.query(name, { query: dense, using: 'dense', score_threshold: 0.9, offset: 1 }),
    'query of words': () => client.query(name, { query: { indices: [0, 5, 6], values: [1, 1, 1] }, using: 'words' }),
    'query by id': () => client.query(name, { query: 2, using: 'dense', filter: { must_not: [{ has_id: [1] }] } }),
    'query by an unknown id': () => client.query(name, { query: 77, using: 'dense' }),
    'hybrid query': () =>
      client.query(name, {
        prefetch: [
          { query: dense, using: 'dense', limit: 4 },
          { query: { indices: [1, 8], values: [1, 1] }, using: 'words', limit: 4, filter: { must_not: [first] } },
        ],
        query: { fusion: 'rrf' },
        limit: 3,
        with_payload: true,
      }),
    'nested prefetch': () =>
      client.query(name, {
        prefetch: [
          { prefetch: [{ query: dense, using: 'dense', limit: 4 }], query: uuid(1), using: 'dense', limit: 3 },
        ],
        query: { fusion: 'dbsf' },
      }),
    mmr: () =>
      client.query(name, {
        query: { nearest: dense, mmr: { diversity: 0.5, candidates_limit: 4 } },
        using: 'dense',
        limit: 3,
      }),
    recommend: () =>
      client.query(name, { query: { recommend: { positive: [1], negative: [uuid(2)] } }, using: 'dense' }),
    'recommend an unknown id': () => client.query(name, { query: { recommend: { positive: [77] } }, using: 'dense' }),
    'scroll in order': () => client.scroll(name, { order_by: { key: 'rank', direction: 'desc' } }),
    'query batch': () =>
      client.queryBatch(name, {
        searches: [
          { query: dense, using: 'dense', limit: 2 },
          { query: 1, using: 'dense', with_payload: true },
        ],
      }),
    'query groups': () =>
      client.queryGroups(name, {
        query: dense,
        using: 'dense',
        group_by: 'half',
        limit: 3,
        group_size: 2,
        with_payload: true,
      }),
    search: () => client.search(name, { vector: { name: 'dense', vector: dense }, limit: 3, with_payload: true }),
    'search batch': () =>
      client.searchBatch(name, { searches: [{ vector: { name: 'dense', vector: dense }, limit: 2 }] }),
    'search groups': () =>
      client.searchPointGroups(name, {
        vector: { name: 'dense', vector: dense },
        group_by: 'half',
        limit: 2,
        group_size: 1,
      }),
    'recommend, older': () => client.recommend(name, { positive: [1], using: 'dense', limit: 3 }),
    'set payload by ids': () => client.setPayload(name, { wait: true, payload: { seen: true }, points: [1, uuid(2)] }),
    'set payload by filter': () =>
      client.setPayload(name, { wait: true, payload: { early: 1 }, filter: { must: [first] } }),
    'set payload below a key': () =>
      client.setPayload(name, { wait: true, payload: { more: 1 }, key: 'nested', points: [2] }),
    'overwrite payload': () => client.overwritePayload(name, { wait: true, payload: { text: 'new' }, points: [3] }),
    'delete payload': () => client.deletePayload(name, { wait: true, keys: ['rank', 'nested.tags[0]'], points: [2] }),
    'clear payload': () => client.clearPayload(name, { wait: true, points: [uuid(1)] }),
    'after payloads': () => client.scroll(name, everything),
    'update vectors': () =>
      client.updateVectors(name, { wait: true, points: [{ id: 1, vector: { words: words(9) } }] }),
    'delete vectors': () => client.deleteVectors(name, { wait: true, vector: ['words'], points: [2, uuid(2)] }),
    'after vectors': () => client.scroll(name, everything),
    'batch of updates': () =>
      client.batchUpdate(name, {
        wait: true,
        operations: [
          { upsert: { points: [point(6, 0)] } },
          { set_payload: { payload: { batch: true }, points: [6] } },
          { delete_payload: { keys: ['half'], points: [6] } },
          { delete: { points: [4] } },
        ],
      }),
    'after the batch': () => client.scroll(name, everything),
    'delete by ids': () => client.delete(name, { wait: true, points: [1, 77, 9_000] }),
    'delete by filter': () => client.delete(name, { wait: true, filter: { must: [{ is_empty: { key: 'half' } }] } }),
    'an unknown collection': () => client.count('shared-nowhere'),
    'at the end': () => client.scroll(name, everything),
    'count at the end': () => client.count(name),
  })
}

async function langchainScript({ url, apiKey }: Access) {
  const store = new QdrantVectorStore(new LetterEmbeddings(), {
    url,
    ...(apiKey && { apiKey }),
    collectionName: 'shared-chain',
  })
  const filter = { must: [{ key: 'metadata.half', match: { value: 'first' } }] }
  return answersTo({
    add: () =>
      store.addDocuments(
        TEXTS.map((pageContent, at) => ({ pageContent, metadata: { at, half: at < 2 ? 'first' : 'last' } })),
        { ids: TEXTS.map((_, at) => uuid(at)) } as never,
      ),
    search: () => store.similaritySearchWithScore(TEXTS[2] ?? '', 3),
    'search with a filter': () => store.similaritySearch('bell', 4, filter),
    mmr: () => store.maxMarginalRelevanceSearch('bell', { k: 2, fetchK: 4, lambda: 0.5 }),
    retriever: () => store.asRetriever(2).invoke('barge'),
    delete: () => store.delete({ filter }),
    'search after': () => store.similaritySearch('bell', 10),
    points: () => store.client.scroll('shared-chain', { with_vector: true }),
  })
}

async function mastraScript({ url, apiKey }: Access) {
  const vectors = new QdrantVector({ id: 'test', url, ...(apiKey && { apiKey }) })
  const indexName = 'shared-mastra'
  const queryVector = letterVector(TEXTS[1] ?? '')
  return answersTo({
    create: () => vectors.createIndex({ indexName, dimension: 8, metric: 'cosine' }),
    'create another': () => vectors.createIndex({ indexName: 'shared-new', dimension: 8, metric: 'cosine' }),
    upsert: () =>
      vectors.upsert({
        indexName,
        vectors: TEXTS.map(letterVector),
        metadata: TEXTS.map((text, rank) => ({ text, rank })),
        ids: TEXTS.map((_, at) => uuid(at)),
      }),
    query: () => vectors.query({ indexName, queryVector, topK: 3, includeVector: true }),
    'query with a filter': () => vectors.query({ indexName, queryVector, topK: 3, filter: { rank: { $gt: 1 } } }),
    list: () => vectors.listIndexes(),
    describe: () => vectors.describeIndex({ indexName }),
    update: () => vectors.updateVector({ indexName, id: uuid(0), update: { metadata: { text: 'new', rank: 9 } } }),
    'update by filter': () =>
      vectors.updateVector({ indexName, filter: { rank: 4 }, update: { metadata: { text: 'newer', rank: 4 } } }),
    'delete one': () => vectors.deleteVector({ indexName, id: uuid(1) }),
    'delete several': () => vectors.deleteVectors({ indexName, filter: { rank: 3 } }),
    after: () => vectors.query({ indexName, queryVector, topK: 10 }),
    'describe after': () => vectors.describeIndex({ indexName }),
  })
}

/** The client warns of a key without TLS. */
const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})

/** Two worlds and 70 requests each take their time on a busy machine. */
const COMPARING_MS = 120_000

/** The steps that fail, in both worlds. */
const FAILING: Readonly<Record<string, string[]>> = {
  'shared-docs': [
    'upsert of a wrong size',
    'query by an unknown id',
    'recommend an unknown id',
    'an unknown collection',
  ],
  'shared-chain': [],
  'shared-mastra': [],
}

const clientOf = ({ url, apiKey }: Access) =>
  new QdrantClient({ url, ...(apiKey && { apiKey }), checkCompatibility: false })

function statusOf(answer: unknown): number {
  return answer instanceof Error ? Number((answer as Error & { status?: number }).status) : 200
}

describe.each(['improve', 'passthrough'] as const)('a client with a tenant key (%s)', mode => {
  let worlds: Awaited<ReturnType<typeof openTwoWorlds>>
  beforeAll(async () => {
    worlds = await openTwoWorlds(mode)
    const cosine = { size: 8, distance: 'Cosine' }
    const words = { indices: [0, 1, 2, 5, 6, 7, 8, 9], values: [9, 9, 9, 9, 9, 9, 9, 9] }
    await worlds.create(
      'shared-docs',
      { vectors: { dense: cosine }, sparse_vectors: { words: {} } },
      foreignPoints(
        (text, rank) => ({ text, rank: rank - 5, half: 'first', nested: { tags: ['a'] } }),
        dense => ({ dense, words }),
      ),
      { rank: 'integer', half: 'keyword' },
    )
    await worlds.create(
      'shared-chain',
      { vectors: cosine },
      foreignPoints((content, at) => ({ content, metadata: { at, half: 'first' } })),
    )
    await worlds.create(
      'shared-mastra',
      { vectors: cosine },
      foreignPoints((text, rank) => ({ text, rank })),
    )
    await worlds.createPrivate('private', { vectors: cosine })
  }, COMPARING_MS)
  afterAll(() => worlds.close())

  it.each([
    ['@qdrant/js-client-rest', clientScript, 'shared-docs'],
    ['@langchain/qdrant', langchainScript, 'shared-chain'],
    ['@mastra/qdrant', mastraScript, 'shared-mastra'],
  ] as const)(
    '%s works unchanged, and sees what it would see on a collection of its own',
    async (_name, script, collection) => {
      const before = await worlds.foreign(collection)
      const tenant = await script(worlds.tenant)
      const alone = await script(worlds.alone)
      for (const [step, answer] of Object.entries(alone))
        expect.soft({ [step]: comparable(tenant[step]) }).toEqual({ [step]: comparable(answer) })
      expect(await worlds.foreign(collection)).toBe(before)
      expect(before).toContain('beta')
      const searches = worlds.stowage.answered.splice(0).filter(({ request }) => request.includes('/points/query'))
      expect(searches.some(({ applied }) => applied !== null && applied !== 'passthrough')).toBe(mode === 'improve')
      const failed = Object.entries(alone).filter(([, answer]) => answer instanceof Error)
      // Otherwise the scripts would compare refusals.
      expect(failed.map(([step]) => step)).toEqual(FAILING[collection])
    },
    COMPARING_MS,
  )

  it('differs where the guard has to: in the text of a refusal, and in changes that name an id that is not there', async () => {
    const [tenant, alone] = [worlds.tenant, worlds.alone].map(clientOf)
    const { points } = (await alone?.scroll('shared-chain', { limit: 1 })) ?? {}
    const id = points?.[0]?.id ?? 0
    const outcomes = async (client = alone) =>
      Object.entries(
        await answersTo({
          filter: async () => client?.scroll('shared-chain', { filter: { musst: [] } as object }),
          change: async () =>
            client?.setPayload('shared-chain', { wait: true, payload: { seen: true }, points: [id, 77] }),
        }),
      ).map(([step, answer]) => [step, statusOf(answer)])
    expect(await outcomes(alone)).toEqual([
      ['filter', 400],
      ['change', 404],
    ])
    expect(await outcomes(tenant)).toEqual([
      ['filter', 400],
      ['change', 200],
    ])
  })

  it('creates, describes and deletes collections with @mastra/qdrant, when they are its own as a whole', async () => {
    const alone = new QdrantVector({ id: 'alone', url: worlds.tenant.url, apiKey: WHOLE_KEY })
    const indexName = 'whole-mastra'
    await alone.createIndex({ indexName, dimension: 8, metric: 'dotproduct' })
    await alone.upsert({ indexName, vectors: TEXTS.map(letterVector), metadata: TEXTS.map(text => ({ text })) })
    expect(await alone.describeIndex({ indexName })).toEqual({
      dimension: 8,
      count: TEXTS.length,
      metric: 'dotproduct',
    })
    expect(await alone.listIndexes()).toEqual([indexName])
    await alone.createPayloadIndex({ indexName, fieldName: 'text', fieldSchema: 'keyword' })
    await alone.deleteIndex({ indexName })
    expect(await alone.listIndexes()).toEqual([])
  })
})

describe('the official client', () => {
  let worlds: Awaited<ReturnType<typeof openTwoWorlds>>
  beforeAll(async () => {
    worlds = await openTwoWorlds('improve')
    const vectors = { size: 2, distance: 'Cosine' }
    await worlds.create('shared-docs', { vectors }, [{ id: 1, vector: [1, 2], payload: { tenant: 'beta' } }])
    await worlds.createPrivate('private', { vectors })
  }, COMPARING_MS)
  afterAll(() => worlds.close())

  const raised = (call: Promise<unknown>) => call.then(() => null).catch((error: unknown) => error)
  const docs = 'shared-docs'

  it('raises its own error for 401: no key, and an unknown one', async () => {
    for (const apiKey of [undefined, 'unknown']) {
      const client = clientOf({ ...worlds.tenant, apiKey })
      const error = await raised(client.getCollections())
      expect(error).toBeInstanceOf(client.api().getCollections.Error)
      expect(error).toMatchObject({
        status: 401,
        data: apiKey ? 'Invalid API key' : expect.stringContaining('API key'),
      })
    }
  })

  it('raises its own error for 403, the same for a collection of others and for one that is not there', async () => {
    const client = clientOf(worlds.tenant)
    const errors = []
    for (const name of ['private', 'not-there']) {
      const error = await raised(client.count(name))
      expect(error).toBeInstanceOf(client.api().countPoints.Error)
      expect(error).toMatchObject({ status: 403 })
      errors.push(JSON.stringify(comparable(error)).replaceAll(name, 'NAME'))
    }
    expect(errors[0]).toBe(errors[1])
    expect(await raised(client.deleteCollection(docs))).toMatchObject({ status: 403 })
    const points = [{ id: 1, vector: [1, 1], payload: {} }]
    expect(await raised(client.upsert(docs, { points }))).toMatchObject({ status: 403 })
  })

  it('raises its own error for 404: a collection that could be its own, and ids of others like unknown ones', async () => {
    const client = clientOf(worlds.tenant)
    const missing = await raised(client.count('shared-nowhere'))
    expect(missing).toBeInstanceOf(client.api().countPoints.Error)
    expect(missing).toMatchObject({
      status: 404,
      data: { status: { error: expect.stringContaining("doesn't exist") } },
    })
    const errors = []
    for (const id of [1, 2]) errors.push(comparable(await raised(client.query(docs, { query: id }))))
    expect(errors[0]).toMatchObject({ status: 404, data: { status: { error: 'Not found: No point with id 1 found' } } })
    expect(JSON.stringify(errors[0]).replace('id 1', 'id 2')).toBe(JSON.stringify(errors[1]))
  })

  it('raises QdrantClientResourceExhaustedError for 429, with the seconds to wait', async () => {
    const stage = createStage()
    const limits: Step = () => {
      throw new StowageError('too_many_requests', 'Too many requests', { details: { retry_after: 1.2 } })
    }
    const { url } = await stage.serve({ admitTenant: [limits] })
    const error = await raised(clientOf({ url, apiKey: ACME_KEY }).getCollections())
    await stage.close()
    expect(error).toMatchObject({ name: 'QdrantClientResourceExhaustedError', retry_after: 2 })
  })

  it('raises its own error for 422, when the tenant mixes embedders in a managed collection', async () => {
    const client = clientOf(worlds.tenant)
    const embedders = [createFakeEmbedder('A'), createFakeEmbedder('B')]
    const documents = [{ docId: 'd', title: 'D', text: 'Some text that is long enough.' }]
    const target = { collection: 'shared-managed', tenant: 'beta' }
    await ingest(documents, dependencies(worlds.engine, embedders[1] ?? null), target)
    const point = (id: number, embedder_version: string) => ({
      id,
      vector: { dense: [1, 2, 3, 4] },
      payload: { doc_id: 'own', text: 'Text.', embedder_version },
    })
    // What beta has stored decides nothing for acme.
    await client.upsert('shared-managed', { wait: true, points: [point(1, 'A')] })
    const error = await raised(client.upsert('shared-managed', { points: [point(2, 'B')] }))
    expect(error).toBeInstanceOf(client.api().upsertPoints.Error)
    expect(error).toMatchObject({ status: 422, data: { status: { error: expect.stringContaining('are of "A"') } } })
  })

  it('does not warn of the version of the server', async () => {
    warnings.mockClear()
    const client = new QdrantClient({ ...worlds.tenant, checkCompatibility: true })
    await client.getCollections()
    await vi.waitFor(() => expect(worlds.stowage.answered.some(({ request }) => request === 'GET /')).toBe(true))
    await client.getCollections()
    expect(warnings.mock.calls.flat().filter(text => /version|compatib/i.test(String(text)))).toEqual([])
  })
})
