import { describe, expect, it, onTestFinished } from 'vitest'
import { createLogger } from '../../src/observe/logger.ts'
import { noAnswer, type Reply, startRecordingServer } from '../support/recording-server.ts'
import { openStowage } from '../support/stowage.ts'

const SECRET = 'hunter2'

/** A stowage whose log is kept, before an engine with two points. */
async function openLogged(environment: Record<string, string>) {
  const log: string[] = []
  const logger = createLogger({ level: 'debug', destination: { write: line => void log.push(line) } })
  const engine = await openStowage()
  onTestFinished(() => engine.close())
  await engine.send('PUT', '/collections/docs', { vectors: { size: 2, distance: 'Dot' } })
  const points = [1, 2].map(id => ({ id, vector: [id, 1], payload: { text: `Passage ${id} about keels.` } }))
  await engine.send('PUT', '/collections/docs/points?wait=true', { points })
  const stowage = await openStowage({ QDRANT_URL: engine.url, ...environment }, logger)
  onTestFinished(() => stowage.close())
  return { stowage, log }
}

/** Everything that clients, and that operators alone, can read after a question to each endpoint. */
async function everythingShown({ stowage, log }: Awaited<ReturnType<typeof openLogged>>) {
  const question = { query: 'keels', collection: 'docs', vector: [1, 0], trace: true }
  const context = await stowage.ask(question)
  const search = { query: [1, 0], limit: 2, with_payload: true }
  const points = await stowage.send('POST', '/collections/docs/points/query', search, { 'x-stowage-query': 'keels' })
  const rest = ['/readyz', `/v1/traces/${context.json.trace_id}`].map(path => stowage.send('GET', path))
  const answers = [context, points, ...(await Promise.all(rest))]
  const metrics = await stowage.send('GET', '/v1/metrics')
  return {
    clients: answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n'),
    operators: [metrics.text, ...log].join('\n'),
  }
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
    onTestFinished(() => reranker.close())
    const { clients, operators } = await everythingShown(
      await openLogged({
        RERANKER: 'http',
        RERANK_URL: `${reranker.url}/rerank?token=${SECRET}`,
        REQUEST_DEADLINE_MS: '2000',
        DROPIN_DEADLINE_MS: '2000',
      }),
    )
    expect(reranker.requests[0]?.path).toContain(SECRET)
    expect(clients).toMatch(/reranker_failed|rerank_partial/)
    expect(clients + operators).not.toContain(SECRET)
    // Operators must know which endpoint it is; clients have no part in it.
    expect(clients).not.toContain(new URL(reranker.url).host)
    expect(operators).toContain(`node="${new URL(reranker.url).host}"`)
  })
})

describe('the address of Qdrant is in no answer', () => {
  it.each(broken)('when Qdrant %s', async (_name, reply) => {
    const qdrant = await startRecordingServer(() => reply)
    onTestFinished(() => qdrant.close())
    const stowage = await openStowage({ QDRANT_URL: qdrant.url, REQUEST_DEADLINE_MS: '300', DROPIN_DEADLINE_MS: '300' })
    onTestFinished(() => stowage.close())
    const { status, text } = await stowage.ask({ query: 'keels', collection: 'docs', vector: [1, 0] })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain(new URL(qdrant.url).host)
    expect((await stowage.send('GET', '/readyz')).text).not.toContain(new URL(qdrant.url).host)
  })
})

describe('the log of a hostile run', () => {
  const QUERY = 'zanzibar cloves'
  const KEY = 'k3y-of-a-client'

  /** Faults of Qdrant, each with an answer that repeats what was asked. */
  const echoes: Reply[] = [...[200, 400, 404, 422, 500, 503].map((status): Reply => ({ status, body: '' })), null]
  const repeat = ({ body, headers }: { body: string; headers: object }) =>
    JSON.stringify({ status: { error: `cannot read ${body} of ${JSON.stringify(headers)}` }, result: body })

  /** Requests that try to bring the query and the key into a line. */
  const hostile = (url: string): Promise<Response>[] => {
    const headers = { 'api-key': KEY, 'x-request-id': `${KEY}-1`, 'x-stowage-query': QUERY, traceparent: QUERY }
    const post = (path: string, body: string, more: Record<string, string> = {}) =>
      fetch(url + path, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-type': 'application/json', ...more },
      })
    const question = JSON.stringify({ query: QUERY, collection: 'docs', vector: [1, 0], session_id: 's' })
    const search = JSON.stringify({ query: { text: QUERY, model: 'm' }, filter: { must: [{ key: QUERY }] }, limit: 2 })
    return [
      post(`/v1/context?key=${KEY}`, question),
      post('/v1/context', question.slice(0, -1)),
      post('/v1/context', `{"query":"${QUERY}","collection":"docs","unknown":"${QUERY}"}`),
      post('/v1/context', question, { 'content-encoding': 'gzip' }),
      post(`/collections/docs/points/query?api-key=${KEY}`, search),
      post('/collections/docs/points/query', JSON.stringify({ query: [1, 0], limit: 2 })),
      post('/collections/docs/points/query', search.slice(0, -1)),
      post('/collections/docs/points/query', search, { 'content-type': 'text/plain' }),
      post('/collections/docs/points/search', JSON.stringify({ vector: [1, 0], limit: 1, [QUERY]: 1 })),
      post('/collections/docs/points/scroll', search, { authorization: `Bearer ${KEY}` }),
      fetch(`${url}/collections/docs?token=${KEY}#${QUERY}`, { headers }),
    ]
  }

  it.each(['off', 'hash'])('at debug holds no query text and no key, with LOG_QUERY_TEXT=%s', async mode => {
    let reply: Reply = null
    const qdrant = await startRecordingServer(request =>
      reply !== null && 'status' in reply ? { ...reply, body: repeat(request) } : reply,
    )
    onTestFinished(() => qdrant.close())
    const log: string[] = []
    const logger = createLogger({ level: 'debug', destination: { write: line => void log.push(line) } })
    const stowage = await openStowage({ QDRANT_URL: qdrant.url, LOG_QUERY_TEXT: mode, SLOW_REQUEST_MS: '1' }, logger)
    onTestFinished(() => stowage.close())
    for (const echo of echoes) {
      reply = echo
      for (const answer of hostile(stowage.url)) await (await answer).text()
    }
    expect(qdrant.requests.some(({ body }) => body.includes(QUERY))).toBe(true)
    expect(log.length).toBeGreaterThan(50)
    expect(log.filter(line => /zanzibar|cloves|k3y-of/iu.test(line))).toEqual([])
  })
})
