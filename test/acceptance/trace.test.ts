import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

let stowage: Stowage
/** Reads traces by the JSON Schema that the service publishes, not by the one in the sources. */
let published: z.ZodType
beforeAll(async () => {
  stowage = await openStowage()
  const texts = Array.from({ length: 12 }, (_, n) => `Keel ${n} was laid in the year ${1700 + n} by the ${n}th wright.`)
  await fill(stowage.url, 'keels', [
    ...texts.map((text, n) => ({
      ...chunk(n + 1, text, { doc_id: 'list', order_index: n }),
      dense: [n, 12 - n, 1, 0],
    })),
    chunk(50, `${texts[3]} It still floats.`),
    chunk(51, texts[3] ?? ''),
    { id: 52, payload: { text: '' }, dense: [1, 1, 1, 1] },
  ])
  const { json } = await stowage.send('GET', '/v1/schema/trace.json')
  published = z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0])
})
afterAll(() => stowage.close())

const REQUESTS: [name: string, body: object][] = [
  ['keyword only', {}],
  ['hybrid', { vector: [1, 2, 3, 4] }],
  ['little room', { vector: [1, 2, 3, 4], budget_tokens: 60 }],
  ['no room', { budget_tokens: 1 }],
  ['nothing found', { query: 'zebra' }],
  ['two of them', { limit: 2, vector: [1, 2, 3, 4] }],
  ['wrong dimensions', { vector: [1, 2] }],
  ['a session, an unknown model, a filter', { session_id: 's', model: 'm', filter: { must_not: [{ has_id: [1] }] } }],
]

async function traceOf(body: object): Promise<Trace> {
  const { status, json } = await stowage.ask({ query: 'keel wright', collection: 'keels', trace: true, ...body })
  expect(status).toBe(200)
  expect(json.trace?.trace_id).toBe(json.trace_id)
  return json.trace as Trace
}

describe('a trace', () => {
  test.each(REQUESTS)('%s: is kept as it was answered and follows the published schema', async (_name, body) => {
    const trace = await traceOf(body)
    const stored = await stowage.send('GET', `/v1/traces/${trace.trace_id}`)
    expect(stored.json).toEqual(trace)
    expect(published.safeParse(trace).error).toBeUndefined()
  })

  test.each(REQUESTS)('%s: gives every candidate one decision and each number its parts', async (_name, body) => {
    const { candidates, counts, budget } = await traceOf(body)
    const packed = candidates.filter(({ decision }) => decision === 'packed')
    expect(counts).toEqual({
      retrieved: candidates.length,
      packed: packed.length,
      dropped: candidates.length - packed.length,
    })
    expect(new Set(candidates.map(({ id, collection }) => `${collection}/${id}`)).size).toBe(candidates.length)
    expect(packed.map(({ position }) => position)).toEqual(packed.map((_, at) => at + 1))
    expect(budget.used).toBeLessThanOrEqual(budget.tokens)
    for (const { decision, reason, lists, fused } of candidates) {
      expect(reason === null).toBe(decision === 'packed')
      expect(lists.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(fused, 9)
    }
  })

  it('names the reasons for what is out', async () => {
    const reasons = (trace: Trace) => new Set(trace.candidates.map(({ reason }) => reason))
    const hybrid = reasons(await traceOf({ vector: [1, 2, 3, 4] }))
    expect(hybrid).toEqual(new Set([null, 'duplicate', 'text_missing']))
    expect(reasons(await traceOf({ budget_tokens: 60 }))).toContain('over_budget')
  })

  it('is shown when it is asked for, and kept all the same', async () => {
    const { json } = await stowage.ask({ query: 'keel', collection: 'keels' })
    expect(json).not.toHaveProperty('trace')
    expect((await stowage.send('GET', `/v1/traces/${json.trace_id}`)).json).toMatchObject({ query: 'keel' })
  })

  it('is shown to the key that made it only, in either header', async () => {
    const { json } = await stowage.ask({ query: 'keel', collection: 'keels' }, { 'api-key': 'mine' })
    const statusFor = async (headers: Record<string, string>) =>
      (await stowage.send('GET', `/v1/traces/${json.trace_id}`, undefined, headers)).status
    expect(await statusFor({ 'api-key': 'mine' })).toBe(200)
    expect(await statusFor({ authorization: 'Bearer mine' })).toBe(200)
    expect([await statusFor({}), await statusFor({ 'api-key': 'other' })]).toEqual([404, 404])
  })

  it('that nobody has made is a 404 in our shape', async () => {
    for (const id of ['nope', '%00', '..%2f..']) {
      const { status, json } = await stowage.send('GET', `/v1/traces/${id}`)
      expect([status, json]).toEqual([404, { error: expect.objectContaining({ code: 'not_found' }) }])
    }
  })
})

test('the trace of a search that finds nothing names its collection', async () => {
  const search = {
    query: [1, 2, 3, 4],
    using: 'dense',
    filter: { must: [{ key: 'doc_id', match: { value: 'none' } }] },
  }
  const { headers, json } = await stowage.send('POST', '/collections/keels/points/query', search)
  expect(json).toMatchObject({ result: { points: [] } })
  const trace = await stowage.send('GET', `/v1/traces/${headers.get('x-stowage-trace-id')}`)
  expect(trace.json).toMatchObject({ endpoint: 'points', collections: ['keels'], candidates: [] })
})

describe('the published schema', () => {
  const spoil: [name: string, change: (trace: Trace) => object][] = [
    ['another version', () => ({ version: 1 })],
    ['an unknown endpoint', () => ({ endpoint: 'window' })],
    ['no candidates', () => ({ candidates: undefined })],
    ['an unknown reason', ({ candidates }) => ({ candidates: [{ ...candidates[0], reason: 'bored' }] })],
    ['a score in words', ({ candidates }) => ({ candidates: [{ ...candidates[0], fused: 'high' }] })],
    ['half a budget', () => ({ budget: { tokens: 1 } })],
  ]
  test.each(spoil)('refuses a trace with %s', async (_name, change) => {
    const trace = await traceOf({})
    expect(published.safeParse({ ...trace, ...change(trace) }).success).toBe(false)
  })
})
