import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createCachedReranker } from '../../../src/adapters/models/cached-reranker.ts'
import { createCrossEncoder } from '../../../src/adapters/models/cross-encoder.ts'
import { createHttpReranker } from '../../../src/adapters/models/http-reranker.ts'
import { terms } from '../../../src/text/terms.ts'
import { type JsonServer, startJsonServer } from '../../support/json-server.ts'
import { isShipped, noSignal, SHIPPED_RERANKER, TINY_CROSS_ENCODER } from '../../support/model-folders.ts'
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
    createHttpReranker({ url: `${server.url}/${shape}`, shape, model: 'm' }),
  )
}
describeReranker('a tiny cross-encoder in two workers', () =>
  createCrossEncoder({ model: TINY_CROSS_ENCODER, workers: 2 }),
)

if (isShipped(SHIPPED_RERANKER)) {
  describeReranker('the shipped cross-encoder', () => createCrossEncoder({ model: SHIPPED_RERANKER, workers: 1 }))

  it('the shipped cross-encoder orders plain cases right', async () => {
    const reranker = await createCrossEncoder({ model: SHIPPED_RERANKER, workers: 1 })
    const cases: [query: string, right: string, wrong: string][] = [
      [
        'capital of France',
        'Paris is the capital and largest city of France.',
        'The recipe asks for two eggs and flour.',
      ],
      [
        'how to rotate the signing key',
        'To rotate the signing key, run rotate-key and restart.',
        'Our office is closed on Sundays.',
      ],
      [
        'what is the boiling point of water',
        'Water boils at 100 degrees Celsius at sea level.',
        'Cats sleep most of the day.',
      ],
      [
        'error ECONNRESET meaning',
        'ECONNRESET means the peer closed the connection abruptly.',
        'The museum opens at nine.',
      ],
      ['who wrote Hamlet', 'Hamlet was written by William Shakespeare around 1600.', 'The engine has four cylinders.'],
      ['maximum upload size', 'Uploads are limited to 32 MB per request.', 'The lake is home to many birds.'],
      ['symptoms of influenza', 'Influenza causes fever, cough and muscle pain.', 'Interest rates rose last year.'],
      [
        'install the package with npm',
        'Run npm install to add the package to your project.',
        'Bread is baked in an oven.',
      ],
      [
        'distance from earth to the moon',
        'The Moon is about 384,400 km away from Earth.',
        'The committee voted on the budget.',
      ],
      [
        'how do vaccines work',
        'Vaccines train the immune system to recognise a pathogen.',
        'The train leaves from platform two.',
      ],
    ]
    for (const [query, right, wrong] of cases) {
      const { scores } = await reranker.rerank({ query, passages: [wrong, right], signal: noSignal() })
      expect([query, (scores[1] ?? 0) > (scores[0] ?? 1)]).toEqual([query, true])
    }
    await reranker.close()
  })
}
