import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPassthrough } from '../../src/http/passthrough/passthrough.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { matchRoute } from '../../src/tenants/guard/match.ts'
import { ACME_KEY, guarding, registryOf, testTenant } from '../support/guarded-requests.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { createLeakyQdrant, type SeenRequest } from './support/tenants/leaky-qdrant.ts'
import { openWorld } from './support/tenants/world.ts'

/** An id of another tenant and one of nobody, of the same length. */
const FOREIGN = 73100001
const UNKNOWN = 99900009

const byIds = (id: number) => ({ points: [id] })
const limit = 3

const REQUESTS: [name: string, method: string, path: string, body: ((id: number) => unknown) | null][] = [
  ['a point', 'GET', 'points/ID', null],
  ['points', 'POST', 'points', id => ({ ids: [id, 1], with_vector: true })],
  ['a query', 'POST', 'points/query', id => ({ query: id, limit })],
  ['a prefetch', 'POST', 'points/query', id => ({ prefetch: { query: id }, query: [1, 0, 2, 1], limit })],
  ['a batch', 'POST', 'points/query/batch', id => ({ searches: [{ query: 1 }, { query: { nearest: id } }] })],
  ['groups', 'POST', 'points/query/groups', id => ({ query: id, group_by: 'color', limit })],
  ['a recommendation', 'POST', 'points/recommend', id => ({ positive: [1, id], limit })],
  ['a bad example', 'POST', 'points/query', id => ({ query: { recommend: { positive: [1], negative: [id] } }, limit })],
  ['a discovery', 'POST', 'points/discover', id => ({ target: 1, context: [{ positive: 2, negative: id }], limit })],
  ['a lookup', 'POST', 'points/query', id => ({ query: id, lookup_from: { collection: 'archive' }, limit })],
  ['a filter', 'POST', 'points/scroll', id => ({ filter: { must: [{ has_id: [id] }] } })],
  ['a filter against it', 'POST', 'points/count', id => ({ filter: { must_not: [{ has_id: [id] }] } })],
  ['a page that begins there', 'POST', 'points/scroll', id => ({ offset: id, limit })],
  ['a deletion', 'POST', 'points/delete', byIds],
  ['a payload', 'POST', 'points/payload', id => ({ payload: { x: 1 }, ...byIds(id) })],
  ['another payload', 'PUT', 'points/payload', id => ({ payload: { x: 1 }, ...byIds(id) })],
  ['no payload', 'POST', 'points/payload/clear', byIds],
  ['keys', 'POST', 'points/payload/delete', id => ({ keys: ['x'], ...byIds(id) })],
  ['vectors', 'PUT', 'points/vectors', id => ({ points: [{ id, vector: [1, 1, 1, 1] }] })],
  ['no vectors', 'POST', 'points/vectors/delete', id => ({ vector: ['words'], ...byIds(id) })],
  ['operations', 'POST', 'points/batch', id => ({ operations: [{ delete: byIds(id) }, { clear_payload: byIds(id) }] })],
]

const stage = createStage()
let url: string
let seen: SeenRequest[]
beforeAll(async () => {
  const { shared } = await openWorld()
  const qdrant = createLeakyQdrant(shared)
  seen = qdrant.seen
  const upstream = await stage.listen(qdrant.server)
  const acme = testTenant({ reaches: name => ['shared', 'archive'].includes(name) })
  const served = await stage.serve({
    passthrough: createPassthrough({ upstream: new URL(upstream) }).passthrough,
    ...guarding(registryOf({ [ACME_KEY]: acme }), { http: createQdrantHttp(upstream), matchRoute }),
  })
  url = served.url
})
afterAll(() => stage.close())

describe('an id of another tenant is an id of nobody', () => {
  test.each(REQUESTS)('for %s', async (_name, method, path, body) => {
    const askFor = async (id: number) => {
      seen.length = 0
      const target = `/collections/shared/${path.replace('ID', String(id))}`
      const { status, text } = await send(url, method, target, body?.(id), { 'api-key': ACME_KEY })
      const plain = (said: string) => said.replaceAll(String(id), 'ID')
      const calls = seen.map(call => `${call.method} ${plain(call.target)} ${plain(call.body)}`)
      // Numbers of operations grow from request to request.
      return { status, text: plain(text).replace(/"operation_id":\d+|"time":[^,}]+/g, ''), calls }
    }
    const unknown = await askFor(UNKNOWN)
    expect(await askFor(FOREIGN)).toEqual(unknown)
    expect(unknown.calls.length).toBeGreaterThan(0)
  })
})

test('only inserting tells them apart: a point of another tenant is refused before anything is written', async () => {
  const upsert = (id: number) =>
    send(url, 'PUT', '/collections/shared/points', { points: [{ id, vector: [1, 1, 1, 1] }] }, { 'api-key': ACME_KEY })
  seen.length = 0
  expect((await upsert(FOREIGN)).status).toBe(403)
  expect(seen.map(({ method }) => method)).toEqual(['POST'])
  expect((await upsert(UNKNOWN)).status).toBe(200)
})

test('a collection that exists and is not reached is one that does not exist', async () => {
  const answers = new Set<string>()
  for (const name of ['bravo-private', 'bravo-alias', 'nowhere']) {
    for (const path of ['', '/points/1', '/exists', '/snapshots']) {
      const { status, text } = await send(url, 'GET', `/collections/${name}${path}`, undefined, { 'api-key': ACME_KEY })
      answers.add(`${path} ${status} ${text}`)
    }
  }
  expect(answers.size).toBe(4)
})
