import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createEndpointEmbedder,
  type EndpointEmbedderOptions,
} from '../../../src/adapters/models/endpoint-embedder/endpoint-embedder.ts'
import { createLocalEmbedder } from '../../../src/adapters/models/local-embedder.ts'
import { ModelUnavailableError } from '../../../src/adapters/models/model-folder.ts'
import { encodeBm25Query } from '../../../src/text/qdrant-bm25.ts'
import { cosine } from '../../../src/text/similarity.ts'
import { createNpmEmbedder } from '../../bench/npm-embedder.ts'
import { type JsonAnswer, type JsonServer, startJsonServer } from '../../support/json-server.ts'
import { isShipped, SHIPPED_EMBEDDER, TINY_EMBEDDER } from '../../support/model-folders.ts'
import { MODEL_MS } from '../../support/timeouts.ts'
import { describeEmbedder } from './support/embedder-contract.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

const DIMENSIONS = 24

/** A vector of hashed words, not of unit length. */
function hashed(text: string): number[] {
  const vector = new Float32Array(DIMENSIONS).fill(0.5)
  for (const index of encodeBm25Query(text, { language: 'none' }).indices) vector[index % DIMENSIONS] = 3
  return [...vector]
}

const embeddings = (body: Record<string, unknown>): JsonAnswer => {
  const data = (body.input as string[]).map((text, index) => ({ object: 'embedding', index, embedding: hashed(text) }))
  return { body: { object: 'list', model: body.model, data: data.reverse(), usage: {} } }
}

let server: JsonServer
let answer: (body: Record<string, unknown>) => JsonAnswer = embeddings
beforeAll(async () => {
  server = await startJsonServer(body => answer(body))
})
afterAll(() => server.close())

const open = (extra: Partial<EndpointEmbedderOptions> = {}) =>
  createEndpointEmbedder({ api: 'openai', baseUrl: `${server.url}/v1`, apiKey: 'k', model: 'm', ...extra })

/** As `POST /v2/embed` of Cohere answers. */
const cohereEmbeddings = ({ texts }: Record<string, unknown>): JsonAnswer => {
  const float = (texts as string[]).map(hashed)
  return { body: { id: '5807ee2e', embeddings: { float }, texts, meta: { api_version: { version: '2' } } } }
}

describeEmbedder('an OpenAI-compatible endpoint', () => open())
describeEmbedder('a tiny model in two workers', () => createLocalEmbedder({ model: TINY_EMBEDDER, workers: 2 }))
// Only benchmarks use it, and long texts take most of its time.
describeEmbedder('the model from npm', () => createNpmEmbedder({ workers: 1 }), 1_000)

describe('the OpenAI-compatible embedder', () => {
  it('asks once for the same query of a tenant, and again for another tenant', async () => {
    const embedder = await open()
    const before = server.requests.length
    const ask = (tenant: string | null) => embedder.embedQuery('tides?', undefined, tenant)
    const vectors = [await ask('acme'), await ask('acme'), await ask('beta'), await ask(null), await ask(null)]
    expect(server.requests.length - before).toBe(3)
    expect(new Set(vectors.map(vector => vector.join())).size).toBe(1)
  })

  it('asks in batches of at most 128, with key, model and dimensions', async () => {
    const embedder = await open({ dimensions: DIMENSIONS })
    const before = server.requests.length
    const texts = Array.from({ length: 300 }, (_, n) => `text ${n}`)
    const vectors = await embedder.embedPassages(texts)
    const requests = server.requests.slice(before)
    expect(requests.map(({ body }) => (body.input as string[]).length)).toEqual([128, 128, 44])
    expect(requests[0]?.path).toBe('/v1/embeddings')
    expect(requests[0]?.headers.authorization).toBe('Bearer k')
    expect(requests[0]?.body).toMatchObject({ model: 'm', dimensions: DIMENSIONS, encoding_format: 'float' })
    expect(cosine(vectors[299] ?? new Float32Array(), Float32Array.from(hashed('text 299')))).toBeCloseTo(1, 6)
  })

  it.each([
    ['a bad key', { status: 401, body: { error: { message: 'no' } } }, 'upstream_error', /401/],
    ['no JSON', { body: 'oops' }, 'upstream_error', /cannot be used/],
    ['too few vectors', { body: { data: [] } }, 'upstream_error', /cannot be used/],
    ['a zero vector', { body: { data: [{ index: 0, embedding: [0, 0] }] } }, 'upstream_error', /cannot be used/],
    ['another dimension', { body: { data: [{ index: 0, embedding: [1, 0] }] } }, 'upstream_error', /2 dimensions/],
  ])('makes %s a clear error', async (_name, wrong, code, message) => {
    const embedder = await open({ dimensions: DIMENSIONS })
    answer = () => wrong
    await expect(embedder.embedQuery('q')).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    answer = embeddings
  })

  it('stops waiting when the signal says so', async () => {
    const embedder = await open({ dimensions: DIMENSIONS })
    const controller = new AbortController()
    answer = () => {
      controller.abort()
      return 'never'
    }
    await expect(embedder.embedPassages(['slow'], controller.signal)).rejects.toThrow()
    answer = embeddings
  })

  it('is unavailable without a key, or when its dimension cannot be asked', async () => {
    await expect(createEndpointEmbedder({ api: 'openai', apiKey: '', model: 'm' })).rejects.toBeInstanceOf(
      ModelUnavailableError,
    )
    answer = () => ({ status: 400, body: {} })
    await expect(open()).rejects.toBeInstanceOf(ModelUnavailableError)
    answer = embeddings
  })
})

describe('input types', () => {
  const asked = async (api: EndpointEmbedderOptions['api'], extra: Partial<EndpointEmbedderOptions> = {}) => {
    if (api === 'cohere') answer = cohereEmbeddings
    const embedder = await open({ api, ...extra })
    const before = server.requests.length
    await embedder.embedPassages(['a passage'])
    await embedder.embedQuery('a query')
    answer = embeddings
    return { version: embedder.version, requests: server.requests.slice(before) }
  }

  it('says to Voyage AI what is a query and what is a document', async () => {
    const { version, requests } = await asked('voyage')
    expect(requests.map(({ path }) => path)).toEqual(['/v1/embeddings', '/v1/embeddings'])
    expect(requests.map(({ body }) => body)).toEqual([
      { model: 'm', input: ['a passage'], input_type: 'document' },
      { model: 'm', input: ['a query'], input_type: 'query' },
    ])
    expect(version).toBe('m:24:input_type')
  })

  it('says it to Cohere, and reads vectors by their type', async () => {
    const { version, requests } = await asked('cohere', { baseUrl: `${server.url}/v2`, dimensions: DIMENSIONS })
    const common = { model: 'm', embedding_types: ['float'], output_dimension: DIMENSIONS }
    expect(requests.map(({ path }) => path)).toEqual(['/v2/embed', '/v2/embed'])
    expect(requests.map(({ body }) => body)).toEqual([
      { ...common, texts: ['a passage'], input_type: 'search_document' },
      { ...common, texts: ['a query'], input_type: 'search_query' },
    ])
    expect(version).toBe('m:24:input_type')
  })

  it('puts prefixes before texts for an OpenAI-compatible endpoint, and another version with each pair of them', async () => {
    const prefixes = { query: 'query: ', passage: 'passage: ' }
    const { version, requests } = await asked('openai', { prefixes })
    expect(requests.map(({ body }) => body.input)).toEqual([['passage: a passage'], ['query: a query']])
    const versions = await Promise.all(
      [
        { ...prefixes, query: '' },
        { ...prefixes, passage: '' },
        { query: '', passage: '' },
      ].map(async other => (await open({ prefixes: other })).version),
    )
    expect(new Set([version, ...versions]).size).toBe(4)
    expect(versions[2]).toBe('m:24:endpoint')
  })

  it('sends no request with more characters than endpoints take tokens', async () => {
    const embedder = await open({ dimensions: DIMENSIONS })
    const before = server.requests.length
    await embedder.embedPassages(Array.from({ length: 40 }, (_, n) => `${n} `.repeat(2_500).slice(0, 7_000)))
    const sizes = server.requests.slice(before).map(({ body }) => (body.input as string[]).join('').length)
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(120_000)
  })

  it.each([
    [401, /Check EMBEDDING_API_KEY/],
    [404, /Check the name of the model.*EMBEDDING_BASE_URL/],
    [400, /EMBEDDING_DIMENSIONS.*EMBEDDER=voyage/],
  ])('says what to do when the first request is answered with %d', async (status, remedy) => {
    answer = () => ({ status, body: { detail: 'no' } })
    await expect(open({ api: 'voyage' })).rejects.toThrow(remedy)
    answer = embeddings
  })
})

describe('the local embedder', () => {
  it('takes other prefixes than those of its folder, under another version', async () => {
    const prefixes = { query: 'of both sides ', passage: 'of both sides ' }
    const embedder = await createLocalEmbedder({ model: TINY_EMBEDDER, workers: 1, prefixes })
    expect(embedder.version).toMatch(/^tiny-embedder:32:mean_[0-9a-f]{8}$/)
    const [passage = new Float32Array()] = await embedder.embedPassages(['key'])
    expect(cosine(await embedder.embedQuery('key'), passage)).toBeCloseTo(1, 6)
    await embedder.close()
  })

  it('puts its prefixes before queries and passages', async () => {
    const embedder = await createLocalEmbedder({ model: TINY_EMBEDDER, workers: 1 })
    expect(embedder.version).toBe('tiny-embedder:32:mean')
    const [passage = new Float32Array()] = await embedder.embedPassages(['key'])
    const query = await embedder.embedQuery('key')
    expect(cosine(query, passage)).toBeLessThan(0.9999)
    await embedder.close()
    await expect(embedder.embedPassages(['after'])).rejects.toThrow(/closed/)
  })
})

if (isShipped(SHIPPED_EMBEDDER)) {
  describeEmbedder('the shipped embedder', () => createLocalEmbedder({ model: SHIPPED_EMBEDDER, workers: 1 }))

  it('the shipped embedder finds what is meant', async () => {
    const embedder = await createLocalEmbedder({ model: SHIPPED_EMBEDDER, workers: 1 })
    const again = await createLocalEmbedder({ model: SHIPPED_EMBEDDER, workers: 1 })
    const passages = [
      'Paris is the capital of France.',
      'Two eggs and flour make a pancake.',
      'Keys are rotated each month.',
    ]
    const vectors = await embedder.embedPassages(passages)
    for (const [at, query] of ['French capital city', 'pancake recipe', 'how often to rotate keys'].entries()) {
      const vector = await embedder.embedQuery(query)
      expect(cosine(vector, await again.embedQuery(query))).toBeCloseTo(1, 5)
      const similarities = vectors.map(passage => cosine(vector, passage))
      expect(similarities.indexOf(Math.max(...similarities))).toBe(at)
    }
    await Promise.all([embedder.close(), again.close()])
  })
}
