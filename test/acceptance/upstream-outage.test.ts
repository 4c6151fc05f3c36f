import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { type BreakableQdrant, startBreakableQdrant } from './support/breakable-qdrant.ts'

let qdrant: BreakableQdrant
let stowage: Stowage
beforeEach(async () => {
  qdrant = await startBreakableQdrant()
  stowage = await openStowage({ QDRANT_URL: qdrant.url })
  await fill(stowage.url, 'harbour', [
    { ...chunk(1, 'The sluice is opened at dawn.'), dense: [1, 0, 0, 0] },
    { ...chunk(2, 'The harbour bell hangs over the sluice gate.'), dense: [0, 1, 0, 0] },
  ])
})
afterEach(async () => {
  await stowage.close()
  await qdrant.close()
})

const QUESTION = { query: 'sluice', collection: 'harbour' }
const SEARCH = JSON.stringify({ query: [1, 0, 0, 0], using: 'dense', limit: 2 })
const search = () => stowage.send('POST', '/collections/harbour/points/query', SEARCH, { 'x-stowage-query': 'sluice' })
const list = () => stowage.send('GET', '/collections')

async function expectOutage() {
  const context = await stowage.ask(QUESTION)
  expect([context.status, context.json.error.code]).toEqual([503, 'upstream_unavailable'])
  for (const answer of await Promise.all([search(), list()])) {
    expect(answer.status).toBe(503)
    expect(answer.json).toEqual({ status: { error: expect.any(String) }, time: expect.any(Number) })
  }
  const health = await fetch(`${stowage.url}/healthz`)
  const ready = await stowage.send('GET', '/readyz')
  expect([health.status, ready.status]).toEqual([200, 503])
}

async function expectService() {
  const context = await stowage.ask(QUESTION)
  expect([context.status, context.json.chunks?.length]).toEqual([200, 2])
  const improved = await search()
  expect([improved.status, improved.headers.get('x-stowage-applied')]).toEqual([200, expect.stringContaining('fuse')])
  expect((await list()).status).toBe(200)
  expect((await stowage.send('GET', '/readyz')).status).toBe(200)
}

describe('an upstream that dies', () => {
  it('is told in each door’s own shape while it is away, and served again when it is back on its port', async () => {
    await expectService()
    for (let outage = 0; outage < 2; outage++) {
      await qdrant.kill()
      await expectOutage()
      await qdrant.revive()
      await expectService()
    }
  })

  it.each(['context', 'search', 'list'] as const)('under a request in flight: %s', async endpoint => {
    const send = { context: () => stowage.ask(QUESTION), search, list }[endpoint]
    const arrived = qdrant.fallSilent()
    const pending = send()
    await arrived
    await qdrant.kill()
    const { status, json } = await pending
    expect([502, 503, 504]).toContain(status)
    if (endpoint === 'context') expect(json).toEqual({ error: expect.objectContaining({ code: expect.any(String) }) })
    else expect(json).toEqual({ status: { error: expect.any(String) }, time: expect.any(Number) })
    await qdrant.revive()
    await expectService()
  })

  it('that never answers: the deadline is a 504, and nothing of it lasts', async () => {
    void qdrant.fallSilent()
    const { status, json } = await stowage.ask({ ...QUESTION, deadline_ms: 50 })
    expect([status, json.error.code]).toEqual([504, 'upstream_timeout'])
    await qdrant.kill()
    await qdrant.revive()
    await expectService()
  })

  it('with many requests under way: each gets its answer', async () => {
    const arrived = qdrant.fallSilent()
    const pending = Array.from({ length: 30 }, (_, turn) => (turn % 2 === 0 ? stowage.ask(QUESTION) : search()))
    await arrived
    await qdrant.kill()
    for (const { status } of await Promise.all(pending)) expect([502, 503, 504]).toContain(status)
    await qdrant.revive()
    await expectService()
  })
})
