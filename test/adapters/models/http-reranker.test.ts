import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpReranker, type HttpRerankerOptions } from '../../../src/adapters/models/http-reranker.ts'
import { type JsonAnswer, type JsonServer, startJsonServer } from '../../support/json-server.ts'
import { noSignal } from '../../support/model-folders.ts'

let server: JsonServer
let answer: (body: Record<string, unknown>) => JsonAnswer
beforeAll(async () => {
  server = await startJsonServer(body => answer(body))
})
afterAll(() => server.close())

const open = (options: Partial<HttpRerankerOptions> = {}) =>
  createHttpReranker({ urls: [`${server.url}/rerank`], shape: 'cohere', cacheEntries: 0, ...options })
const request = (count: number, signal = noSignal()) => ({
  query: 'q',
  passages: Array.from({ length: count }, (_, at) => `passage ${at}`),
  signal,
})
const teiScores = (body: Record<string, unknown>, score = 0.5): JsonAnswer => ({
  body: (body.texts as string[]).map((_, index) => ({ index, score })),
})

describe('the HTTP reranker', () => {
  it('asks as Cohere and Jina want to be asked', async () => {
    answer = () => ({
      body: {
        results: [
          { index: 1, relevance_score: 0.9, document: {} },
          { index: 0, relevance_score: 1.7 },
        ],
      },
    })
    const result = await open({ apiKey: 'secret', model: 'm' }).rerank(request(2))
    expect(result.scores).toEqual([1, 0.9])
    const last = server.requests.at(-1)
    expect(last?.headers.authorization).toBe('Bearer secret')
    expect(last?.body).toEqual({
      model: 'm',
      query: 'q',
      documents: ['passage 0', 'passage 1'],
      top_n: 2,
      return_documents: false,
    })
  })

  it('asks TEI in batches of 32', async () => {
    answer = body => teiScores(body, 0.25)
    const before = server.requests.length
    expect((await open({ shape: 'tei' }).rerank(request(70))).scores).toEqual(Array(70).fill(0.25))
    expect(server.requests.slice(before).map(({ body }) => (body.texts as string[]).length)).toEqual([32, 32, 6])
  })

  it('keeps the batches that were done when a later one fails or the time is up', async () => {
    let calls = 0
    answer = body => (++calls === 2 ? { status: 500, body: {} } : teiScores(body))
    const failed = (await open({ shape: 'tei', batchSize: 2 }).rerank(request(6))).scores
    expect(failed).toEqual([0.5, 0.5, null, null, null, null])
    const controller = new AbortController()
    calls = 0
    answer = body => {
      if (++calls === 2) {
        controller.abort()
        return 'never'
      }
      return teiScores(body)
    }
    const late = (await open({ shape: 'tei', batchSize: 2 }).rerank(request(6, controller.signal))).scores
    expect(late).toEqual([0.5, 0.5, null, null, null, null])
  })

  it.each<[string, JsonAnswer, string, RegExp]>([
    ['429', { status: 429, headers: { 'retry-after': '7' }, body: {} }, 'upstream_unavailable', /429.*too many/],
    ['500', { status: 500, body: 'secret stack trace' }, 'upstream_error', /answered with status 500\.$/],
    ['401', { status: 401, body: {} }, 'upstream_error', /401/],
    ['no JSON', { body: '<html>' }, 'upstream_error', /answer with JSON/],
    ['another shape', { body: { data: [] } }, 'upstream_error', /no cohere scores/],
    ['NaN', { body: '{"results":[{"index":0,"relevance_score":NaN}]}' }, 'upstream_error', /answer with JSON/],
    ['null', { body: { results: [{ index: 0, relevance_score: null }] } }, 'upstream_error', /no cohere scores/],
    ['too few', { body: { results: [] } }, 'upstream_error', /0 scores for 1/],
    ['a wrong index', { body: { results: [{ index: 4, relevance_score: 1 }] } }, 'upstream_error', /passage 0/],
  ])('makes %s a clear error', async (_name, wrong, code, message) => {
    answer = () => wrong
    const fault = open().rerank(request(1))
    await expect(fault).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('makes a server that is not there a clear error', async () => {
    const gone = await startJsonServer(() => ({ body: {} }))
    await gone.close()
    await expect(open({ urls: [gone.url] }).rerank(request(1))).rejects.toMatchObject({ code: 'upstream_unavailable' })
  })
})
