import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chunk, fill, upsert } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage({ CACHE_TTL_MS: '600000' })
  await fill(stowage.url, 'harbour', [
    chunk(1, 'The sluice is opened at dawn.', { lang: 'en' }),
    chunk(2, 'The harbour bell hangs over the sluice gate.', { lang: 'en' }),
  ])
  await fill(stowage.url, 'quay', [chunk(1, 'No sluice on the quay.')])
})
afterAll(() => stowage.close())

const QUESTION = { query: 'sluice', collection: 'harbour', trace: true }
let turn = 0
/** A question that no other test has asked. */
const fresh = () => ({ ...QUESTION, query: `sluice ${turn++}` })

async function cacheOf(body: object, headers: Record<string, string> = {}) {
  const { status, json } = await stowage.ask(body, headers)
  expect(status).toBe(200)
  return json.trace?.cache
}

describe('the cache of answers', () => {
  it('gives an equal request the kept answer, under a trace of its own', async () => {
    const question = fresh()
    const [first, second] = [await stowage.ask(question), await stowage.ask(question)]
    expect([first.json.trace?.cache, second.json.trace?.cache]).toEqual(['miss', 'hit'])
    expect(second.json.trace_id).not.toBe(first.json.trace_id)
    const { trace: _first, trace_id: _id, ...kept } = first.json
    expect(second.json).toMatchObject(kept)
    const stored = await stowage.send('GET', `/v1/traces/${second.json.trace_id}`)
    expect(stored.json).toEqual(second.json.trace)
  })

  it('does not care whether the trace is shown, nor for the deadline', async () => {
    const question = fresh()
    await stowage.ask({ ...question, trace: false })
    expect(await cacheOf({ ...question, deadline_ms: 30_000 })).toBe('hit')
  })

  it.each<[string, object]>([
    ['query', { query: 'sluice gate' }],
    ['collection', { collection: 'quay' }],
    ['collections', { collection: ['harbour', 'quay'] }],
    ['filter', { filter: { must: [{ key: 'lang', match: { value: 'de' } }] } }],
    ['budget', { budget_tokens: 77 }],
    ['tokenizer', { model: 'gpt-4' }],
    ['limit', { limit: 1 }],
    ['vector', { vector: [0, 0, 0, 1] }],
    ['format', { format: 'xml' }],
    ['order', { order: 'edges' }],
  ])('keeps answers of another %s apart', async (_part, change) => {
    const question = fresh()
    const other = { ...question, ...change }
    expect(await cacheOf(question)).toBe('miss')
    expect(await cacheOf(other)).toBe('miss')
    expect([await cacheOf(question), await cacheOf(other)]).toEqual(['hit', 'hit'])
  })

  it('keeps the answers of another key apart, whichever header brings it', async () => {
    const question = fresh()
    expect(await cacheOf(question)).toBe('miss')
    expect(await cacheOf(question, { 'api-key': 'a' })).toBe('miss')
    expect(await cacheOf(question, { 'api-key': 'b' })).toBe('miss')
    expect(await cacheOf(question, { authorization: 'Bearer b' })).toBe('hit')
  })

  it('keeps nothing of a session, whose answers depend on what went before', async () => {
    const question = { ...fresh(), session_id: 's' }
    expect([await cacheOf(question), await cacheOf(question)]).toEqual(['miss', 'miss'])
  })

  it.each<[string, string, string, string?]>([
    ['PUT', '/collections/harbour/points?wait=true', '{"points":[{"id":9,"vector":{}}]}'],
    ['POST', '/collections/harbour/points/delete?wait=true', '{"points":[9]}'],
    ['POST', '/collections/harbour/points/payload?wait=true', '{"payload":{"lang":"en"},"points":[1]}'],
    ['PUT', '/collections/harbour/index?wait=true', '{"field_name":"lang","field_schema":"keyword"}'],
  ])('forgets the collection at %s %s', async (method, path, body) => {
    const [question, elsewhere] = [fresh(), { ...fresh(), collection: 'quay' }]
    await cacheOf(question)
    await cacheOf(elsewhere)
    expect((await stowage.send(method, path, body)).status).toBe(200)
    expect(await cacheOf(question)).toBe('miss')
    expect(await cacheOf(elsewhere)).toBe('hit')
  })

  it('shows what was written between two equal requests', async () => {
    const question = { ...QUESTION, query: 'windlass' }
    expect((await stowage.ask(question)).json.chunks).toEqual([])
    await upsert(stowage.url, 'harbour', [chunk(3, 'The windlass needs grease.')])
    expect((await stowage.ask(question)).json.chunks.map(({ id }) => id)).toEqual([3])
    await stowage.send('POST', '/collections/harbour/points/delete?wait=true', '{"points":[3]}')
    expect((await stowage.ask(question)).json.chunks).toEqual([])
  })

  it('is not asked where nothing was found to keep: a failure', async () => {
    const missing = { ...QUESTION, collection: 'later' }
    expect((await stowage.ask(missing)).status).toBe(404)
    await fill(stowage.url, 'later', [chunk(1, 'A sluice after all.')])
    expect(await cacheOf(missing)).toBe('miss')
  })

  it('reads do not forget', async () => {
    const question = fresh()
    await cacheOf(question)
    for (const path of ['points/scroll', 'points/count', 'points/query'])
      expect((await stowage.send('POST', `/collections/harbour/${path}`, '{}')).status).toBe(200)
    expect(await cacheOf(question)).toBe('hit')
  })
})

it('is off unless it is switched on', async () => {
  const without = await openStowage()
  await fill(without.url, 'harbour', [chunk(1, 'A sluice.')])
  await without.ask(QUESTION)
  expect((await without.ask(QUESTION)).json.trace?.cache).toBe('off')
  await without.close()
})
