import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createHttpReranker } from '../../src/adapters/models/http-reranker.ts'
import { type RunningServer, startServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createRerankApp, type ServedModel } from '../../src/rerank-server/app.ts'
import { deferred } from '../support/deferred.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { noSignal } from '../support/model-folders.ts'
import { exchangeBytes, readAnswer } from '../support/raw-client.ts'

const LIMITS = { bytes: 10_000, texts: 8, queue: 10 }
const KEY = 'a-secret'
let score: ServedModel['score']
const lengths: ServedModel['score'] = async (_query, texts) => texts.map(text => text.length)
const model: ServedModel = {
  id: 'model@1',
  dtype: 'q8',
  maxTokens: 512,
  score: (...call) => score(...call),
  relevanceOf: logit => logit / (1 + logit),
  waiting: () => 3,
}

let open: RunningServer
let guarded: RunningServer
let hasty: RunningServer
beforeAll(async () => {
  const options = { model, limits: LIMITS, workers: 1, version: '1.2.3', logger: createLogger({ level: 'silent' }) }
  const listen = { port: 0, host: '127.0.0.1' }
  open = await startServer(createRerankApp({ ...options, apiKey: null }), listen)
  guarded = await startServer(createRerankApp({ ...options, apiKey: KEY }), listen)
  hasty = await startServer(createRerankApp({ ...options, apiKey: null, uploadMs: 1_000 }), listen)
  score = lengths
})
afterEach(() => {
  score = lengths
})
afterAll(async () => {
  await Promise.all([open.close(0), guarded.close(0), hasty.close(0)])
})

async function post(body: unknown, { url = open.url, path = '/rerank', headers = {} } = {}) {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const response = await fetch(url + path, { method: 'POST', body: sent, headers })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

describe('the rerank server', () => {
  it('answers as text-embeddings-inference does: best first, with relevance or logits, with texts when asked', async () => {
    const texts = ['aa', 'a', 'aaa']
    const ranks = [2, 0, 1].map(index => ({ index, score: texts[index]?.length ?? 0 }))
    expect(await post({ query: 'q', texts, raw_scores: true })).toMatchObject({ status: 200, json: ranks })
    const relevances = ranks.map(({ index, score }) => ({ index, score: score / (1 + score), text: texts[index] }))
    expect((await post({ query: 'q', texts, return_text: true }, { path: '/' })).json).toEqual(relevances)
    // Fields that it does not know, and what it does anyway, change nothing.
    const more = { truncate: true, truncation_direction: 'right', model: 'm' }
    expect((await post({ query: 'q', texts, raw_scores: true, ...more })).json).toEqual(ranks)
  })

  it.each<[string, unknown, number, string]>([
    ['no JSON', '{"query":', 400, 'Validation'],
    ['broken UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 400, 'Validation'],
    ['an empty body', '', 400, 'Validation'],
    ['a list', '[]', 422, 'Validation'],
    ['no query', { texts: ['a'] }, 422, 'Validation'],
    ['a text that is a number', { query: 'q', texts: ['a', 1] }, 422, 'Validation'],
    ['no texts', { query: 'q', texts: [] }, 400, 'Empty'],
    ['too many texts', { query: 'q', texts: Array(9).fill('a') }, 413, 'Validation'],
    ['too many bytes', { query: 'q', texts: ['a'.repeat(10_000)] }, 413, 'Validation'],
    ['texts that must not be cut', { query: 'q', texts: ['a'], truncate: false }, 422, 'Tokenizer'],
    ['texts that are cut at their begin', { query: 'q', texts: ['a'], truncation_direction: 'left' }, 422, 'Tokenizer'],
  ])('refuses %s', async (_name, body, status, error_type) => {
    expect(await post(body)).toMatchObject({ status, json: { error: expect.any(String), error_type } })
  })

  it('never quotes a text in an error', async () => {
    const secret = 'secret-of-a-user'
    for (const body of [`{"query":"${secret}",`, { query: secret, texts: secret }, { query: { secret }, texts: [] }])
      expect(JSON.stringify((await post(body)).json)).not.toContain(secret)
  })

  it('answers 424 when the model fails, or leaves a text without a number', async () => {
    for (const bad of [null, Number.NaN, Number.POSITIVE_INFINITY]) {
      score = async (_query, texts) => texts.map((_, at) => (at === 1 ? bad : 1))
      expect(await post({ query: 'q', texts: ['a', 'b'] })).toMatchObject({
        status: 424,
        json: { error_type: 'Backend' },
      })
    }
    score = () => Promise.reject(new Error('a worker has died'))
    const failed = await post({ query: 'q', texts: ['a'] })
    expect(failed).toMatchObject({ status: 424, json: { error: 'Inference failed: a worker has died' } })
  })

  it('answers 429 to what the queue has no room for, and scores the rest', async () => {
    const gate = deferred<void>()
    const began = deferred<void>()
    score = async (query, texts, signal) => {
      began.resolve()
      await gate.promise
      return lengths(query, texts, signal)
    }
    const waiting = post({ query: 'q', texts: Array(8).fill('a') })
    await began.promise
    const refused = await post({ query: 'q', texts: Array(3).fill('a') })
    expect(refused).toMatchObject({ status: 429, json: { error: 'Model is overloaded', error_type: 'Overloaded' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    const fits = post({ query: 'q', texts: Array(2).fill('a') })
    gate.resolve()
    expect([(await waiting).status, (await fits).status]).toEqual([200, 200])
    expect((await post({ query: 'q', texts: Array(3).fill('a') })).status).toBe(200)
  })

  it('serves others while clients send their bodies byte by byte, for which they have a limited time', async () => {
    const heads = ['content-length: 9999', 'transfer-encoding: chunked'].map(
      length => `POST /rerank HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n1\r\n{\r\n`,
    )
    const slow = Array.from({ length: 20 }, (_, at) => exchangeBytes(hasty.url, [heads[at % 2] ?? '']))
    expect((await post({ query: 'q', texts: ['a'] }, { url: hasty.url })).status).toBe(200)
    for (const bytes of await Promise.all(slow)) expect(readAnswer(bytes, 'POST').statusLine).toContain('408')
    expect((await post({ query: 'q', texts: ['a'] }, { url: hasty.url })).status).toBe(200)
  })

  it('refuses a body when those that have arrived so far fill the memory for them', async () => {
    const half = Buffer.concat([
      Buffer.from('POST /rerank HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 10000\r\n\r\n'),
      Buffer.alloc(9_999, ' '),
    ])
    const answers = (await Promise.all(Array.from({ length: 20 }, () => exchangeBytes(hasty.url, [half])))).map(
      bytes => readAnswer(bytes, 'POST').statusLine,
    )
    expect(answers.filter(line => line.includes('429')).length).toBeGreaterThan(0)
    expect(answers.filter(line => line.includes('408'))).toHaveLength(16)
  })

  it('stops scoring for a client that has gone', async () => {
    const gone = deferred<void>()
    const began = deferred<void>()
    score = async (_query, texts, signal) => {
      signal.addEventListener('abort', () => gone.resolve())
      began.resolve()
      await gone.promise
      return texts.map(() => null)
    }
    const client = new AbortController()
    const body = JSON.stringify({ query: 'q', texts: ['a'] })
    const sent = fetch(`${open.url}/rerank`, { method: 'POST', body, signal: client.signal })
    await began.promise
    client.abort()
    await expect(sent).rejects.toThrow()
    await gone.promise
  })

  it('asks for its key everywhere but at /health', async () => {
    const { url } = guarded
    const key = { authorization: `Bearer ${KEY}` }
    expect((await post({ query: 'q', texts: ['a'] }, { url })).status).toBe(401)
    expect((await post({ query: 'q', texts: ['a'] }, { url, headers: { authorization: 'Bearer no' } })).status).toBe(
      401,
    )
    expect((await post({ query: 'q', texts: ['a'] }, { url, headers: key })).status).toBe(200)
    expect((await fetch(`${url}/health`)).status).toBe(200)
    for (const path of ['/info', '/metrics']) {
      expect((await fetch(url + path)).status).toBe(401)
      expect((await fetch(url + path, { headers: key })).status).toBe(200)
    }
  })

  it('tells its model and limits at /info, and counts at /metrics', async () => {
    const info = await (await fetch(`${open.url}/info`)).json()
    expect(info).toMatchObject({ model_id: 'model@1', max_client_batch_size: 8, auto_truncate: true, version: '1.2.3' })
    const count = async (series: string) => {
      const page = await (await fetch(`${open.url}/metrics`)).text()
      return Number(new RegExp(`^${series} (.+)$`, 'mu').exec(page)?.[1])
    }
    const series = ['te_request_count', 'te_request_success', 'te_request_failure\\{err="Empty"\\}']
    const before = await Promise.all(series.map(count))
    await post({ query: 'q', texts: ['a'] })
    await post({ query: 'q', texts: [] })
    expect(await Promise.all(series.map(count))).toEqual([2, 1, 1].map((more, at) => Number(before[at]) + more))
    expect(await count('te_queue_size')).toBe(3)
  })

  it('serves the client of stowage with hostile texts', async () => {
    const texts = HOSTILE_TEXTS.map(text => text.slice(0, 500))
    const reranker = createHttpReranker({ urls: [open.url], shape: 'tei', batchSize: 8, cacheEntries: 0 })
    const { scores } = await reranker.rerank({ query: 'q', passages: texts, signal: noSignal() })
    expect(scores).toEqual(texts.map(text => model.relevanceOf(text.length)))
  })

  it.each([
    ['GET', '/rerank'],
    ['POST', '/embed'],
    ['GET', '/'],
  ])('answers %s %s with 404 and says what there is', async (method, path) => {
    const response = await fetch(open.url + path, { method })
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: expect.stringContaining('POST /rerank') },
    ])
  })
})
