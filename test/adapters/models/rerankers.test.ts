import { afterAll, beforeAll, vi } from 'vitest'
import { createCachedReranker } from '../../../src/adapters/models/cached-reranker.ts'
import { createCrossEncoder } from '../../../src/adapters/models/cross-encoder.ts'
import { createHttpReranker } from '../../../src/adapters/models/http-reranker.ts'
import { terms } from '../../../src/text/terms/terms.ts'
import { type JsonServer, startJsonServer } from '../../support/json-server.ts'
import { isShipped, SHIPPED_RERANKER, TINY_CROSS_ENCODER } from '../../support/model-folders.ts'
import { MODEL_MS } from '../../support/timeouts.ts'
import { describeReranker } from './support/reranker-contract.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

/** Share of the query's terms that are in the passage. */
function overlap(query: string, passage: string): number {
  const wanted = [...new Set(terms(query))]
  const held = new Set(terms(passage))
  return wanted.length === 0 ? 0 : wanted.filter(term => held.has(term)).length / wanted.length
}

let server: JsonServer
beforeAll(async () => {
  server = await startJsonServer((body, path) => {
    const texts = (body.texts ?? body.documents) as string[]
    const scored = texts.map((text, index) => ({ index, value: overlap(String(body.query), text) }))
    scored.sort((a, b) => b.value - a.value)
    return {
      body: path.startsWith('/tei')
        ? scored.map(({ index, value }) => ({ index, score: value }))
        : { results: scored.map(({ index, value }) => ({ index, relevance_score: value })) },
    }
  })
})
afterAll(() => server.close())

describeReranker('a fake', async () =>
  createCachedReranker({
    model: 'fake',
    cacheEntries: 100,
    score: async (query, passages, signal) =>
      passages.map(passage => (signal.aborted ? null : overlap(query, passage))),
    close: async () => undefined,
  }),
)
for (const shape of ['cohere', 'jina', 'tei'] as const) {
  describeReranker(`HTTP, ${shape}`, async () =>
    createHttpReranker({ urls: [`${server.url}/${shape}`], shape, model: 'm' }),
  )
}
describeReranker('a tiny cross-encoder in two workers', () =>
  createCrossEncoder({ model: TINY_CROSS_ENCODER, workers: 2 }),
)

if (isShipped(SHIPPED_RERANKER)) {
  describeReranker('the shipped cross-encoder', () => createCrossEncoder({ model: SHIPPED_RERANKER, workers: 1 }))
}
