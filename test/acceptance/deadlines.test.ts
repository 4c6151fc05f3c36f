import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk, fill } from '../support/points.ts'
import { noAnswer, type Recorded, type Reply, relay, startRecordingServer } from '../support/recording-server.ts'
import { send } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'

const PASSAGE = 'The sluice is opened at dawn.'
const BATCH = '/collections/harbour/points/query/batch'
const QUERY = '/collections/harbour/points/query'

/** Withholds the rest of an answer, in which a passage stands already. */
const halfAnAnswer: Reply = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 10_000 })
  response.write(`{"result":[{"points":[{"id":1,"version":0,"score":1,"payload":{"text":"${PASSAGE}"`)
}

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await fill(engine.url, 'harbour', [{ ...chunk(1, PASSAGE), dense: [1, 0, 0, 0] }])
})
afterAll(() => engine.close())

/** stowage in front of an engine that never ends its answer to a batch of queries: every deadline passes. */
async function openHeld(held: Reply, environment: Record<string, string> = {}) {
  const reply = (request: Recorded) => (request.path.startsWith(BATCH) ? held : relay(engine.url, request))
  const qdrant = await startRecordingServer(reply)
  onTestFinished(() => qdrant.close())
  const stowage = await openStowage({ QDRANT_URL: qdrant.url, ...environment })
  onTestFinished(() => stowage.close())
  return { stowage, batches: () => qdrant.requests.filter(({ path }) => path.startsWith(BATCH)) }
}

describe.each([
  ['says nothing', noAnswer],
  ['stops in the middle of its answer', halfAnAnswer],
])('the upstream %s:', (_name, held) => {
  it.each([1, 200])('POST /v1/context with deadline_ms %d is a 504 that holds no passage', async deadline => {
    const { stowage } = await openHeld(held)
    const answer = await stowage.ask({ query: 'sluice', collection: 'harbour', deadline_ms: deadline })
    expect(answer.status).toBe(504)
    expect(answer.json).toEqual({ error: { code: 'upstream_timeout', message: expect.any(String) } })
    expect(answer.text).not.toContain('dawn')
  })

  it('REQUEST_DEADLINE_MS holds where the request names no deadline', async () => {
    const { stowage } = await openHeld(held, { REQUEST_DEADLINE_MS: '50' })
    const { status, json } = await stowage.ask({ query: 'sluice', collection: 'harbour' })
    expect([status, json.error.code]).toEqual([504, 'upstream_timeout'])
  })

  it.each(['1', '200'])('the drop-in after DROPIN_DEADLINE_MS=%s gives the original answer', async deadline => {
    const { stowage, batches } = await openHeld(held, { DROPIN_DEADLINE_MS: deadline })
    const body = { query: [1, 0, 0, 0], using: 'dense', limit: 2, with_payload: true }
    const headers = { 'x-stowage-query': 'sluice' }
    const answer = await stowage.send('POST', QUERY, body, headers)
    const original = await send(engine.url, 'POST', QUERY, body, headers)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-stowage-applied')).toBe('passthrough')
    expect(answer.headers.get('x-stowage-degraded')).toBe('deadline')
    expect(withoutTime(answer.text)).toBe(withoutTime(original.text))
    expect(original.text).toContain(PASSAGE)
    expect(batches().length).toBeLessThanOrEqual(1)
  })
})

const withoutTime = (text: string) => text.replace(/"time":[\d.e-]+/u, '"time":0')
