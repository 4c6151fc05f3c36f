import { Document } from '@langchain/core/documents'
import { Embeddings } from '@langchain/core/embeddings'
import { QdrantVectorStore } from '@langchain/qdrant'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { createFakeEndpoint } from '../../relay/support/fake-endpoint.ts'
import { scaled, vectorOf } from '../../relay/support/vectors.ts'
import { createStage } from '../../support/stage.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'

const stage = createStage()
const endpoint = createFakeEndpoint()
const log: string[] = []
let stowage: Stowage
let upstream: string
let engine: EmbeddedServer

beforeAll(async () => {
  engine = await startEmbeddedServer()
  upstream = await stage.listen(endpoint.server)
  const logger = createLogger({ level: 'debug', destination: { write: line => void log.push(line) } })
  stowage = await openStowage(
    { QDRANT_URL: engine.url, EMBEDDINGS_RELAY_URL: `${upstream}/v1`, LOG_LEVEL: 'debug' },
    logger,
  )
  const vectors = { '': { size: 96, distance: 'Cosine' }, small: { size: 64, distance: 'Cosine' } }
  await stowage.send('PUT', '/collections/docs', { vectors, sparse_vectors: { words: {} } })
  const points = Array.from({ length: 30 }, (_, id) => {
    const text = `Passage ${id} is about keels and oak.`
    const vector = {
      '': Array.from(vectorOf(text)),
      small: Array.from(vectorOf(text, 64)),
      words: { indices: [1, id + 2], values: [1, 1] },
    }
    return { id, vector, payload: { text, doc_id: `doc-${id}` } }
  })
  await stowage.send('PUT', '/collections/docs/points?wait=true', { points })
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
  await stage.close()
})

const embed = (input: string | string[], server = stowage, headers = {}) =>
  server.send('POST', '/v1/embeddings', { model: 'm', input }, headers)

/** Searches, and gives the trace of each search. */
async function traced(path: string, body: object, headers: Record<string, string> = {}, server = stowage) {
  const answer = await server.send('POST', `/collections/docs/points/${path}`, body, headers)
  expect(answer.status, answer.text).toBe(200)
  const ids = answer.headers.get('x-stowage-trace-id')?.split(',') ?? []
  const { 'api-key': key } = headers
  const traces = await Promise.all(
    ids.map(
      async id =>
        (await server.send('GET', `/v1/traces/${id}`, undefined, key ? { 'api-key': key } : {})).json as Trace,
    ),
  )
  return { traces, degraded: answer.headers.get('x-stowage-degraded')?.split(',') ?? [] }
}

describe('a search with a vector that was embedded through stowage', () => {
  const vector = Array.from(vectorOf('Why oak?'))
  beforeAll(async () => {
    await embed(['Why oak?', 'What is a keel?'])
  })

  it.each<[string, string, object]>([
    ['a query', 'query', { query: vector }],
    ['nearest', 'query', { query: { nearest: vector } }],
    ['a legacy search', 'search', { vector, limit: 5 }],
    [
      'a hybrid search',
      'query',
      {
        prefetch: [{ query: { indices: [1], values: [1] }, using: 'words' }, { query: vector }],
        query: { fusion: 'rrf' },
      },
    ],
    [
      'a named vector that the client cut and scaled',
      'query',
      { query: Array.from(scaled(vectorOf('Why oak?').slice(0, 64))), using: 'small' },
    ],
    ['a legacy search by name', 'search', { vector: { name: 'small', vector: vector.slice(0, 64) }, limit: 5 }],
    [
      'a filter with a full-text condition',
      'query',
      { query: vector, filter: { must: [{ key: 'text', match: { text: 'keels' } }] } },
    ],
  ])('has its question: %s', async (_name, path, body) => {
    const { traces, degraded } = await traced(path, body)
    expect(traces.map(({ query, query_source: source }) => ({ query, source }))).toEqual([
      { query: 'Why oak?', source: 'relay' },
    ])
    expect(traces[0]?.intent).not.toBeNull()
    expect(degraded).toEqual([])
  })

  it('in a batch, each search has its own', async () => {
    const other = Array.from(vectorOf('What is a keel?'))
    const searches = [{ query: vector }, { query: other }, { query: Array.from(vectorOf('never embedded')) }]
    const { traces, degraded } = await traced('query/batch', { searches })
    expect(traces.map(({ query, query_source: source }) => [query, source])).toEqual([
      ['Why oak?', 'relay'],
      ['What is a keel?', 'relay'],
      [null, 'none'],
    ])
    expect(traces[2]?.degraded.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['question_unknown', 'no_query_text']),
    )
    expect(degraded).toContain('question_unknown')
  })

  it('takes the header and an inference object first', async () => {
    const { traces } = await traced('query', { query: vector }, { 'x-stowage-query': 'from%20header' })
    expect(traces[0]).toMatchObject({ query: 'from header', query_source: 'header' })
  })

  it('says nothing of the relay when there is no dense vector', async () => {
    const { traces, degraded } = await traced('query', { query: { indices: [1], values: [1] }, using: 'words' })
    expect(traces[0]).toMatchObject({ query: null, query_source: 'none' })
    expect(degraded).not.toContain('question_unknown')
  })
})

it('LangChain with two base URLs changed and nothing else: the question is known', async () => {
  class OpenAiVectors extends Embeddings {
    private readonly client = new OpenAI({ apiKey: 'sk', baseURL: `${stowage.url}/v1` })
    async embedDocuments(texts: string[]): Promise<number[][]> {
      const { data } = await this.client.embeddings.create({ model: 'text-embedding-3-small', input: texts })
      return data.sort((one, other) => one.index - other.index).map(({ embedding }) => embedding)
    }
    async embedQuery(text: string): Promise<number[]> {
      return (await this.embedDocuments([text]))[0] ?? []
    }
  }
  const store = await QdrantVectorStore.fromDocuments(
    Array.from({ length: 20 }, (_, at) => new Document({ pageContent: `Chapter ${at} on rigging.` })),
    new OpenAiVectors({}),
    { url: stowage.url, collectionName: 'langchain' },
  )
  const before = stowage.answered.length
  expect(await store.similaritySearch('How is a mast rigged?', 3)).toHaveLength(3)
  expect(stowage.answered.slice(before).map(({ request }) => request)).toContainEqual(
    expect.stringMatching(/langchain\/points\/(?:query|search)/),
  )
  const metrics = (await stowage.send('GET', '/v1/metrics')).text
  expect(metrics).toMatch(/stowage_relay_lookups_total\{result="exact"\} [1-9]/)
  expect(log.join('')).not.toContain('mast')
  expect(metrics).not.toContain('mast')
})

it('metrics count what was remembered and looked up, and no text is in them or in the log', async () => {
  const metrics = (await stowage.send('GET', '/v1/metrics')).text
  for (const series of [
    'relay_questions_total{outcome="remembered"}',
    'relay_lookups_total{result="exact"}',
    'relay_lookups_total{result="direction"}',
    'relay_lookups_total{result="unknown"}',
    'relay_vectors',
    'requests_total{endpoint="relay",outcome="ok"}',
  ])
    expect(metrics).toMatch(new RegExp(`stowage_${series.replace(/[{}]/g, '\\$&')} [1-9]`))
  expect(`${metrics}${log.join('')}`).not.toMatch(/oak\?|keel\?/)
})

describe('switches', () => {
  it('without EMBEDDINGS_RELAY_URL the paths are those of Qdrant', async () => {
    // What stands for Qdrant here is the endpoint, so the request went on.
    const plain = await openStowage({ QDRANT_URL: upstream })
    expect((await embed('x', plain)).status).toBe(200)
    const alone = await openStowage()
    expect((await embed('x', alone)).status).toBe(404)
    expect((await alone.send('GET', '/v1/metrics')).text).toContain('stowage_passthrough_total{reason="route"} 1')
    await plain.close()
    await alone.close()
  })

  it('the flag switches finding off, the relay still relays', async () => {
    const off = await openStowage({
      QDRANT_URL: engine.url,
      EMBEDDINGS_RELAY_URL: upstream,
      STOWAGE_FLAGS_OFF: 'question-relay',
    })
    expect((await embed('Why oak?', off)).status).toBe(200)
    const { traces, degraded } = await traced('query', { query: Array.from(vectorOf('Why oak?')) }, {}, off)
    expect(traces[0]).toMatchObject({ query: null, query_source: 'none' })
    expect(degraded).not.toContain('question_unknown')
    await off.close()
  })

  it.each([
    ['nonsense', 'a base URL or local is needed'],
    ['ftp://x', 'a base URL or local is needed'],
    ['https://user:hunter2@x/v1', 'must not contain a user'],
    ['https://x/v1?key=hunter2', 'must not have a query'],
  ])('a bad URL stops the start: %s', (url, message) => {
    expect(() => loadConfig({ EMBEDDINGS_RELAY_URL: url })).toThrow(message)
    expect(() => loadConfig({ EMBEDDINGS_RELAY_URL: url })).not.toThrow('hunter2')
  })

  it.each(['https://x.test', 'https://x.test/v1', 'https://x.test/v1/', 'https://x.test/v2'])(
    '%s is one endpoint',
    url => {
      expect(new URL(loadConfig({ EMBEDDINGS_RELAY_URL: url }).settings.EMBEDDINGS_RELAY_URL ?? '').href).toBe(
        'https://x.test/',
      )
    },
  )
})
