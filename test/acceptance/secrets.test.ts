import { afterEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/observe/logger.ts'
import { noAnswer, type Reply, startRecordingServer } from '../support/recording-server.ts'
import { openStowage } from '../support/stowage.ts'

const SECRET = 'hunter2'
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0).reverse()) await close()
})

/** A stowage whose log is kept, before an engine with two points. */
async function openLogged(environment: Record<string, string>) {
  const log: string[] = []
  const logger = createLogger({ level: 'debug', destination: { write: line => void log.push(line) } })
  const engine = await openStowage()
  opened.push(engine)
  await engine.send('PUT', '/collections/docs', { vectors: { size: 2, distance: 'Dot' } })
  const points = [1, 2].map(id => ({ id, vector: [id, 1], payload: { text: `Passage ${id} about keels.` } }))
  await engine.send('PUT', '/collections/docs/points?wait=true', { points })
  const stowage = await openStowage({ QDRANT_URL: engine.url, ...environment }, logger)
  opened.push(stowage)
  return { stowage, log }
}

/** Everything that clients and operators can read after a question to each endpoint. */
async function everythingShown({ stowage, log }: Awaited<ReturnType<typeof openLogged>>): Promise<string> {
  const question = { query: 'keels', collection: 'docs', vector: [1, 0], trace: true }
  const context = await stowage.ask(question)
  const search = { query: [1, 0], limit: 2, with_payload: true }
  const points = await stowage.send('POST', '/collections/docs/points/query', search, { 'x-stowage-query': 'keels' })
  const rest = ['/readyz', '/v1/metrics', `/v1/traces/${context.json.trace_id}`].map(path => stowage.send('GET', path))
  const answers = [context, points, ...(await Promise.all(rest))]
  return [...answers.map(({ text, headers }) => text + JSON.stringify([...headers])), ...log].join('\n')
}

const broken: [name: string, reply: Reply][] = [
  ['refuses', { status: 500, body: 'no' }],
  ['asks to wait', { status: 429, body: 'no' }],
  ['answers nonsense', { body: '<html>' }],
  ['answers another shape', { body: '[]' }],
  ['resets', null],
  ['never answers', noAnswer],
]

describe('a token in RERANK_URL is in no answer, trace or log', () => {
  it.each(broken)('when the reranker %s', async (_name, reply) => {
    const reranker = await startRecordingServer(() => reply)
    opened.push(reranker)
    const shown = await everythingShown(
      await openLogged({
        RERANKER: 'http',
        RERANK_URL: `${reranker.url}/rerank?token=${SECRET}`,
        REQUEST_DEADLINE_MS: '2000',
        DROPIN_DEADLINE_MS: '2000',
      }),
    )
    expect(reranker.requests[0]?.path).toContain(SECRET)
    expect(shown).toMatch(/reranker_failed|rerank_partial/)
    expect(shown).not.toContain(SECRET)
    expect(shown).not.toContain(new URL(reranker.url).host)
  })
})

describe('the address of Qdrant is in no answer', () => {
  it.each(broken)('when Qdrant %s', async (_name, reply) => {
    const qdrant = await startRecordingServer(() => reply)
    opened.push(qdrant)
    const stowage = await openStowage({ QDRANT_URL: qdrant.url, REQUEST_DEADLINE_MS: '300', DROPIN_DEADLINE_MS: '300' })
    opened.push(stowage)
    const { status, text } = await stowage.ask({ query: 'keels', collection: 'docs', vector: [1, 0] })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain(new URL(qdrant.url).host)
    expect((await stowage.send('GET', '/readyz')).text).not.toContain(new URL(qdrant.url).host)
  })
})
