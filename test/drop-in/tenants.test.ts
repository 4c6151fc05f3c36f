import { afterEach, describe, expect, it } from 'vitest'
import type { ImproveDependencies } from '../../src/drop-in/route.ts'
import type { ChoosePoints } from '../../src/pipeline/services.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { matchRoute } from '../../src/tenants/guard/match.ts'
import { createLeakyQdrant } from '../acceptance/support/tenants/leaky-qdrant.ts'
import { isCovered } from '../acceptance/support/tenants/naive-walk.ts'
import { CANARIES, openWorld } from '../acceptance/support/tenants/world.ts'
import { ACME_KEY, guarding, registryOf, testTenant } from '../support/guarded-requests.ts'
import type { Recorded } from '../support/recording-server.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { createHeldQdrant } from './support/held-qdrant.ts'
import { choosing, chosen, serveImproving } from './support/improving.ts'
import { createManualClock } from './support/manual-clock.ts'
import { createScriptedQdrant, listsAnswer, ORIGINAL, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const HEDGE_MS = 200

/** Two prefetches, one with a filter that asks for the points of another tenant. */
const HYBRID = {
  prefetch: [
    { query: [1, 0, 2, 1], limit: 20, filter: { should: [{ key: 'tenant', match: { value: 'bravo' } }] } },
    { query: { indices: [1, 5], values: [1, 1] }, using: 'words', limit: 20 },
    { query: [2, 1, 1, 1], limit: 20 },
  ],
  query: { fusion: 'rrf' },
  limit: 5,
  with_payload: true,
}

function tenantsOf(upstream: string) {
  const acme = testTenant({ reaches: name => name === 'shared' })
  return guarding(registryOf({ [ACME_KEY]: acme }), { http: createQdrantHttp(upstream), matchRoute })
}

/** What every call to Qdrant for the tenant must be. */
function expectGuarded(calls: readonly Pick<Recorded, 'headers' | 'body'>[]): void {
  for (const { headers, body } of calls) {
    expect(isCovered(JSON.parse(body)), body).toBe(true)
    expect(headers['api-key']).toBe('upstream-key')
    expect(JSON.stringify(headers)).not.toContain(ACME_KEY)
  }
}

async function serveHeld(overrides: Partial<ImproveDependencies> = {}) {
  const qdrant = createHeldQdrant()
  const upstream = await stage.listen(qdrant.server)
  const clock = createManualClock()
  const { url } = await serveImproving(stage, upstream, {
    clock,
    hedgeMs: HEDGE_MS,
    ...tenantsOf(upstream),
    ...overrides,
  })
  const ask = (path: string, body: unknown, headers = {}) =>
    send(url, 'POST', path, body, { 'api-key': ACME_KEY, ...headers })
  return { ...qdrant, clock, ask }
}

describe('searches of a tenant', () => {
  it('are improved, and hold points of the tenant only', async () => {
    const { shared } = await openWorld()
    const { server, seen } = createLeakyQdrant(shared)
    const upstream = await stage.listen(server)
    const choosePoints = choosing(hits => [...hits].reverse())
    const { url } = await serveImproving(stage, upstream, { choosePoints, ...tenantsOf(upstream) })
    const { status, headers, text } = await send(url, 'POST', '/collections/shared/points/query', HYBRID, {
      'api-key': ACME_KEY,
    })
    expect([status, headers.get('x-stowage-applied')]).toEqual([200, 'fuse,pack'])
    expect(JSON.parse(text).result.points).toHaveLength(5)
    expect(text.match(CANARIES)).toBe(null)
    expect(seen.map(({ target }) => target)).toEqual(['/collections/shared/points/query/batch'])
    expectGuarded(seen)
  })

  it('are guarded in the search of documents that the question names', async () => {
    const sources = ['axial', 'borealis', 'cobalt']
    const found = sources.map((source, at) => {
      const payload = {
        text: `Copy ${at} of the agreement.`,
        metadata: { source: `/nda/${source}.txt` },
        tenant: 'acme',
      }
      return pointText(`${at + 1}`, '0.5', JSON.stringify(payload))
    })
    const { server, improver } = createScriptedQdrant({ lists: listsAnswer(found) })
    const upstream = await stage.listen(server)
    const asked: unknown[] = []
    const { url } = await serveImproving(stage, upstream, {
      ...tenantsOf(upstream),
      documentFilter: async (collection, { apiKey, condition }) => {
        asked.push([collection, apiKey, condition])
        return { key: 'metadata.source', types: ['string'] }
      },
    })
    const headers = { 'api-key': ACME_KEY, 'x-stowage-query': 'What does Axial sign?' }
    await send(url, 'POST', '/collections/shared/points/search', { vector: [1, 0, 2, 1], limit: 3 }, headers)
    expect(improver.map(({ body }) => body.includes('"any":["/nda/axial.txt"]'))).toEqual([false, true])
    expectGuarded(improver)
    expect(asked).toEqual([['shared', 'upstream-key', testTenant().condition]])
  })

  it.each([
    ['/collections/shared/points/query', HYBRID],
    ['/collections/shared/points/query/batch', { searches: [HYBRID, { query: [1, 0, 2, 1], limit: 3 }] }],
    ['/collections/shared/points/search', { vector: [1, 0, 2, 1], limit: 3 }],
    ['/collections/shared/points/search/batch', { searches: [{ vector: [1, 0, 2, 1], limit: 3, filter: {} }] }],
  ])('are guarded in the improved form and in the hedge: %s', async (path, body) => {
    const held = await serveHeld()
    const answer = held.ask(path, body)
    const batch = await held.next()
    held.clock.advance(HEDGE_MS)
    const hedge = await held.next()
    expect([batch.kind, hedge.kind]).toEqual(['batch', 'original'])
    expectGuarded([batch.request, hedge.request])
    hedge.answer({ body: ORIGINAL })
    expect((await answer).text).toBe(ORIGINAL)
  })

  it.each([
    ['is refused', { status: 400, body: '{"status":{"error":"strict"},"time":0}' }],
    ['loses its connection', null],
    ['is not understood', { body: '{"result":7}' }],
  ])('are guarded in the fallback, when the improved form %s', async (_why, reply) => {
    const held = await serveHeld()
    const answer = held.ask('/collections/shared/points/query', HYBRID)
    const seen: Recorded[] = []
    for (;;) {
      const call = await held.next()
      seen.push(call.request)
      if (call.kind === 'original') {
        call.answer({ body: ORIGINAL })
        break
      }
      call.answer(reply)
    }
    expect((await answer).text).toBe(ORIGINAL)
    expectGuarded(seen)
  })

  it('that are not understood are guarded, too', async () => {
    const held = await serveHeld()
    const answer = held.ask('/collections/shared/points/query', { query: { sample: 'random' }, limit: 3 })
    const only = await held.next()
    only.answer({ body: ORIGINAL })
    expect((await answer).headers.get('x-stowage-applied')).toBe('passthrough')
    expect(held.arrived).toEqual(['original'])
    expectGuarded([only.request])
  })

  it('that are too long to improve arrive whole and guarded', async () => {
    const held = await serveHeld()
    const ids = Array.from({ length: 50_000 }, (_, id) => id)
    const answer = held.ask('/collections/shared/points/query', { filter: { must: [{ has_id: ids }] }, limit: 3 })
    const only = await held.next()
    only.answer({ body: ORIGINAL })
    expect((await answer).headers.get('x-stowage-degraded')).toBe('body_too_large')
    expectGuarded([only.request])
    expect(JSON.parse(only.request.body).filter.must[1].must[0].has_id).toEqual(ids)
  })

  it('have no word of the condition of the tenant as their question', async () => {
    const condition = { must: [{ key: 'visibility', match: { text: 'released to partners' } }] }
    const acme = testTenant({ reaches: name => name === 'shared', condition, stamp: null })
    const { server } = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.9'), pointText('2', '0.8')]) })
    const upstream = await stage.listen(server)
    const asked: unknown[] = []
    const choose = choosing(hits => hits)
    const choosePoints: ChoosePoints = (request, caller) => {
      asked.push([request.query, request.querySource])
      return choose(request, caller)
    }
    const guard = guarding(registryOf({ [ACME_KEY]: acme }), { http: createQdrantHttp(upstream), matchRoute })
    const { url } = await serveImproving(stage, upstream, { choosePoints, ...guard })
    const text = { must: [{ key: 'text', match: { text: 'brake fluid change' } }] }
    const inPrefetch = { prefetch: [{ query: [1, 2], filter: text }], query: { fusion: 'rrf' }, limit: 2 }
    for (const body of [{ query: [1, 2], limit: 2 }, { query: [1, 2], limit: 2, filter: text }, inPrefetch])
      await send(
        url,
        'POST',
        '/collections/shared/points/query',
        { ...body, with_payload: true },
        { 'api-key': ACME_KEY },
      )
    expect(asked).toEqual([
      [null, 'none'],
      ['brake fluid change', 'filter'],
      ['brake fluid change', 'filter'],
    ])
  })

  it('are guarded when neighbours are fetched', async () => {
    const choosePoints: ChoosePoints = async ({ lists, fetchNeighbours }) => {
      await fetchNeighbours?.([{ docId: 'd', orderIndex: 4 }])
      return chosen(lists.flatMap(list => list.hits))
    }
    const held = await serveHeld({ choosePoints })
    const answer = held.ask('/collections/shared/points/query', HYBRID, { 'x-stowage-query': 'a question' })
    const batch = await held.next()
    const list = [pointText('1', '0.5', '{"text":"t","doc_id":"d","order_index":3}')]
    batch.answer({ body: listsAnswer(list, [], []) })
    const neighbours = await held.next()
    expect(neighbours.kind).toBe('neighbours')
    neighbours.answer({ body: '{"result":{"points":[]},"status":"ok","time":0}' })
    expect((await answer).headers.get('x-stowage-applied')).toBe('fuse,pack')
    expectGuarded([batch.request, neighbours.request])
  })
})
