import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk, fill } from '../support/points.ts'
import { noAnswer, type Reply } from '../support/recording-server.ts'
import { openStowage } from '../support/stowage.ts'
import { type EmbeddingEndpoint, startEmbeddingEndpoint, VECTOR } from './support/embedding-endpoint.ts'

const open: (() => Promise<void>)[] = []
let engine: EmbeddedServer
let endpoint: EmbeddingEndpoint
beforeEach(async () => {
  engine = await startEmbeddedServer()
  endpoint = await startEmbeddingEndpoint()
  open.push(() => engine.close(), endpoint.stop)
  await fill(engine.url, 'harbour', [
    { ...chunk(1, 'The sluice is opened at dawn.'), dense: VECTOR },
    { ...chunk(2, 'A bell hangs over the gate.'), dense: VECTOR },
  ])
})
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function openBefore(environment: Record<string, string> = {}) {
  const stowage = await openStowage({ QDRANT_URL: engine.url, ...endpoint.environment, ...environment })
  open.push(() => stowage.close())
  return stowage
}

/** One byte at a time, for as long as the client reads. */
const drip: Reply = response => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"data":[')
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

const FAULTS: [string, Reply][] = [
  ['hangs', noAnswer],
  ['drips', drip],
  ['asks to wait', { status: 429, body: '{}', headers: { 'retry-after': '30' } }],
  ['is overloaded', { status: 503, body: '{}', headers: { 'retry-after': '30' } }],
  ['fails', { status: 500, body: 'oops' }],
  ['refuses the key', { status: 401, body: '{}' }],
  ['answers in another shape', { body: '{"vectors":[[1,0,0,0]]}', headers: { 'content-type': 'application/json' } }],
  ['answers no JSON', { body: '<html>' }],
  ['resets the connection', null],
]

/** Long enough for a busy machine, and shorter than the time that the endpoint asks to wait. */
const QUESTION = { query: 'sluice', collection: 'harbour', deadline_ms: 5_000 }

describe('an embedding endpoint that was well at the start and then', () => {
  it.each(FAULTS)('%s: the answer holds the keyword list, and says what is missing', async (_name, fault) => {
    const stowage = await openBefore()
    endpoint.misbehave(() => fault)
    const { status, json } = await stowage.ask(QUESTION)
    expect(status).toBe(200)
    expect(json.context).toContain('opened at dawn')
    expect(json.chunks).toHaveLength(1)
    expect(json.degraded.map(({ code }) => code)).toEqual(['embedder_failed'])
    endpoint.misbehave(null)
    const well = await stowage.ask(QUESTION)
    expect([well.json.chunks.length, well.json.degraded]).toEqual([2, []])
  })

  it('fails, for a query without a keyword list: an error, not an empty context', async () => {
    const { status } = await fetch(`${engine.url}/collections/dense-only`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ vectors: { size: 4, distance: 'Cosine' } }),
    })
    expect(status).toBe(200)
    const stowage = await openBefore()
    endpoint.misbehave(() => ({ status: 500, body: '' }))
    const answer = await stowage.ask({ ...QUESTION, collection: 'dense-only' })
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_error'])
    expect(answer.json.error.message).toContain('answered with status 500')
  })

  it('fails for a moment: the query is embedded by a second request', async () => {
    const stowage = await openBefore()
    let failed = false
    endpoint.misbehave(() => {
      if (failed) endpoint.misbehave(null)
      failed = true
      return { status: 500, body: '' }
    })
    const before = endpoint.requests()
    await stowage.ask(QUESTION)
    expect(endpoint.requests() - before).toBe(2)
  })
})

describe('an embedding endpoint that is not there at the start', () => {
  const health = async (stowage: Awaited<ReturnType<typeof openBefore>>) => {
    const { json } = await stowage.send('GET', '/readyz')
    return (json as { checks: { name: string; ok: boolean }[] }).checks.find(({ name }) => name === 'embedder')?.ok
  }
  const metric = async (stowage: Awaited<ReturnType<typeof openBefore>>) =>
    (await stowage.send('GET', '/v1/metrics')).text.match(/stowage_model_unavailable\{model="embedder"\} (\d)/)?.[1]

  it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
    ['is away', () => endpoint.stop(), () => endpoint.start()],
    ['fails', () => endpoint.misbehave(() => ({ status: 500, body: '' })), () => endpoint.misbehave(null)],
  ])('because it %s: the start does not need it, and it is used when it is there', async (_name, spoil, mend) => {
    await spoil()
    const stowage = await openBefore()
    const before = await stowage.ask(QUESTION)
    expect([before.status, before.json.chunks.length]).toEqual([200, 1])
    expect(before.json.degraded.map(({ code }) => code)).toEqual(['embedder_unavailable'])
    expect([await health(stowage), await metric(stowage)]).toEqual([false, '1'])
    await mend()
    await vi.waitFor(async () => expect(await health(stowage)).toBe(true), { timeout: 30_000, interval: 100 })
    const after = await stowage.ask(QUESTION)
    expect([after.json.chunks.length, after.json.degraded]).toEqual([2, []])
    expect(await metric(stowage)).toBe('0')
  })

  it('because it hangs: the start goes on without it', async () => {
    endpoint.misbehave(() => noAnswer)
    const stowage = await openBefore()
    const { status, json } = await stowage.ask(QUESTION)
    expect([status, json.chunks.length]).toEqual([200, 1])
    expect(json.degraded).toEqual([{ code: 'embedder_unavailable', detail: expect.stringContaining('keeps trying') }])
  })
})
