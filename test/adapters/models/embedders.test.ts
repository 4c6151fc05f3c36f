import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLocalEmbedder } from '../../../src/adapters/models/local-embedder.ts'
import { ModelUnavailableError } from '../../../src/adapters/models/model-folder.ts'
import { createOpenAiEmbedder } from '../../../src/adapters/models/openai-embedder.ts'
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

const open = (extra = {}) => createOpenAiEmbedder({ baseUrl: `${server.url}/v1`, apiKey: 'k', model: 'm', ...extra })

describeEmbedder('an OpenAI-compatible endpoint', () => open())
describeEmbedder('a tiny model in two workers', () => createLocalEmbedder({ model: TINY_EMBEDDER, workers: 2 }))
describeEmbedder('the model from npm', () => createNpmEmbedder({ workers: 1 }))

describe('the OpenAI-compatible embedder', () => {
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
    await expect(createOpenAiEmbedder({ apiKey: '', model: 'm' })).rejects.toBeInstanceOf(ModelUnavailableError)
    answer = () => ({ status: 400, body: {} })
    await expect(open()).rejects.toBeInstanceOf(ModelUnavailableError)
    answer = embeddings
  })
})

describe('the local embedder', () => {
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
