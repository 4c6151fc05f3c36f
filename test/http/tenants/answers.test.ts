import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createPassthrough } from '../../../src/http/passthrough/passthrough.ts'
import { pointById, pointsById } from '../../../src/http/tenants/answers/shaped-answer.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import type { AnswerShape } from '../../../src/tenants/guard/guarded.ts'
import { matchRoute } from '../../../src/tenants/guard/match.ts'
import type { Tenant } from '../../../src/tenants/tenant.ts'
import { ACME_KEY, guardedAs, guarding, registryOf, testTenant } from '../../support/guarded-requests.ts'
import { createRecordingServer, type Recorded, type Reply } from '../../support/recording-server.ts'
import { send } from '../../support/send.ts'
import { createStage } from '../../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

/** stowage before a server that answers as told. */
async function serve(
  reply: (request: Recorded) => Reply,
  { match = matchRoute, tenant = testTenant() }: { match?: typeof matchRoute; tenant?: Tenant } = {},
) {
  const { server, requests } = createRecordingServer(reply)
  const upstream = await stage.listen(server)
  const { url } = await stage.serve({
    passthrough: createPassthrough({ upstream: new URL(upstream) }).passthrough,
    ...guarding(registryOf({ [ACME_KEY]: tenant }), { http: createQdrantHttp(upstream), matchRoute: match }),
  })
  const ask = (method: string, path: string, body?: unknown) =>
    send(url, method, path, body, { 'api-key': ACME_KEY, 'accept-encoding': 'gzip' })
  return { requests, ask }
}

const shapedAs = (answer: AnswerShape) => guardedAs({ method: 'GET', target: '/collections/docs', answer })

/** Points in spellings that parsing and printing would change. */
const POINTS: Record<string, string> = {
  '7': '{"id":7,"payload":{"n":5.0,"big":18446744073709551615, "u":"\\u00e9"},"vector":[1.0,2e-7]}',
  '18446744073709551615': '{"id":18446744073709551615,"payload":{}}',
  '"f47ac10b-58cc-4372-a567-0e02b2c3d479"': '{"id":"f47ac10b-58cc-4372-a567-0e02b2c3d479","payload":{"id":7}}',
}
const envelope = (result: string) => `{"result":${result},"status":"ok","time":5.0e-6,"usage":{"cpu":1.0}}`
const scrolled = (points: readonly string[]) => envelope(`{"points":[${points.join(',')}],"next_page_offset":null}`)

describe('points by their ids', () => {
  const known = Object.keys(POINTS)
  const ids = fc.uniqueArray(fc.constantFrom(...known, '8', '"00000000-0000-4000-8000-000000000000"'))

  test('are those that were found, in the order of the request, spelt as Qdrant spells them', () => {
    const found = fc.shuffledSubarray(known)
    fc.assert(
      fc.property(ids, found, (asked, has) => {
        const expected = asked.filter(id => has.includes(id)).map(id => POINTS[id])
        const answer = pointsById(scrolled(has.map(id => POINTS[id] ?? '')), asked)
        expect(answer).toBe(envelope(`[${expected.join(',')}]`))
      }),
    )
  })

  test('one alone is itself, or null', () => {
    for (const id of known) {
      expect(pointById(scrolled([POINTS[id] ?? '']), id)).toBe(envelope(POINTS[id] ?? ''))
      expect(pointById(scrolled([]), id)).toBe(null)
    }
  })

  test('come from one call, with the headers of Qdrant, and without compression', async () => {
    const body = scrolled([POINTS['7'] ?? ''])
    const { ask, requests } = await serve(() => ({
      body,
      headers: { 'x-qdrant': 'yes', 'content-type': 'application/json' },
    }))
    const answer = await ask('POST', '/collections/docs/points', { ids: [9, 7, 7] })
    expect([answer.status, answer.text]).toEqual([200, envelope(`[${POINTS['7']}]`)])
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'x-qdrant': 'yes', 'content-type': 'application/json' })
    expect(requests.map(({ path, headers }) => [path, headers['accept-encoding']])).toEqual([
      ['/collections/docs/points/scroll', 'identity'],
    ])
  })

  test('have the bytes of a header of Qdrant that is not ASCII', async () => {
    const { ask } = await serve(() => response => {
      response.writeHead(200, { 'x-site': Buffer.from('Zürich').toString('latin1') }).end(Buffer.from(scrolled([])))
    })
    const { status, headers } = await ask('POST', '/collections/docs/points', { ids: [9] })
    expect([status, Buffer.from(headers.get('x-site') ?? '', 'latin1').toString()]).toEqual([200, 'Zürich'])
  })

  test.each(['9', '7', 'f47ac10b-58cc-4372-a567-0e02b2c3d479', 'F47AC10B58CC4372A5670E02B2C3D479'])(
    'an unknown one is what Qdrant says of it: %s',
    async id => {
      const { ask } = await serve(() => ({ body: scrolled([]) }))
      const answer = await ask('GET', `/collections/docs/points/${id}`)
      const spelt = id.startsWith('F') ? 'f47ac10b-58cc-4372-a567-0e02b2c3d479' : id
      const error = `Not found: Point with id ${spelt} does not exists!`
      expect([answer.status, answer.json]).toEqual([404, { status: { error }, time: 0 }])
    },
  )
})

describe('lists of names', () => {
  const tenant = testTenant({ reaches: name => ['docs', 'now'].includes(name) })

  test('of collections hold those that are reached', async () => {
    const body = envelope(
      '{"collections":[{"name":"docs"},{"name":"bravo"},{"name":"d\\u006fcs2"}, {"name":"n\\u006fw"}]}',
    )
    const { ask } = await serve(() => ({ body }), { match: shapedAs({ kind: 'collection_list' }), tenant })
    expect((await ask('GET', '/collections')).text).toBe(
      envelope('{"collections":[{"name":"docs"},{"name":"n\\u006fw"}]}'),
    )
  })

  test('of aliases hold those of which both names are reached', async () => {
    const alias = (one: string, other: string) => `{"alias_name":"${one}","collection_name":"${other}"}`
    const all = [alias('now', 'docs'), alias('bravo', 'docs'), alias('now', 'bravo')]
    const body = envelope(`{"aliases":[${all.join(',')}]}`)
    const { ask } = await serve(() => ({ body }), { match: shapedAs({ kind: 'alias_list' }), tenant })
    expect((await ask('GET', '/aliases')).text).toBe(envelope(`{"aliases":[${alias('now', 'docs')}]}`))
  })
})

describe('a collection', () => {
  const INFO = `{"status":"green","optimizer_status":{"error":"point 73100001 of bravo"},"vectors_count":900,"indexed_vectors_count":900,
    "points_count":900,"segments_count":8,"update_queue":{"length":77},"config":{"params":{"vectors":{"size":4.0}}},
    "payload_schema":{"tenant":{"data_type":"keyword","points":900},"n":{"data_type":"integer","params":{"x":1.0},"points":450}}}`
  const counts = (request: Recorded): Reply => {
    if (request.method === 'GET') return { body: envelope(INFO) }
    const { filter } = JSON.parse(request.body)
    const field = filter.must_not?.[0].is_empty.key
    return { body: envelope(`{"count":${field === undefined ? 12 : field === 'n' ? 3 : 11}}`) }
  }

  test('has the counts of the own points, and nothing that counts those of others', async () => {
    const { ask, requests } = await serve(counts, { match: shapedAs({ kind: 'collection_info' }) })
    const { text } = await ask('GET', '/collections/docs')
    expect(JSON.parse(text).result).toEqual({
      status: 'green',
      optimizer_status: { error: expect.not.stringContaining('bravo') },
      vectors_count: 12,
      indexed_vectors_count: 12,
      points_count: 12,
      segments_count: 1,
      config: { params: { vectors: { size: 4 } } },
      payload_schema: {
        tenant: { data_type: 'keyword', points: 11 },
        n: { data_type: 'integer', params: { x: 1 }, points: 3 },
      },
    })
    expect(text).toContain('{"size":4.0}')
    for (const { body } of requests.slice(1)) {
      expect(JSON.parse(body)).toMatchObject({ filter: { must: [testTenant().condition] }, exact: true })
    }
  })

  test('of a tenant with whole collections is as it is', async () => {
    const options = {
      match: shapedAs({ kind: 'collection_info' }),
      tenant: testTenant({ condition: null, stamp: null }),
    }
    const { ask, requests } = await serve(counts, options)
    expect((await ask('GET', '/collections/docs')).text).toBe(envelope(INFO))
    expect(requests).toHaveLength(1)
  })
})

describe.each<AnswerShape>([
  { kind: 'points_by_id', ids: ['7'] },
  { kind: 'point_by_id', ids: ['7'] },
  { kind: 'collection_list' },
  { kind: 'alias_list' },
  { kind: 'collection_info' },
])('an answer that cannot be rewritten ($kind)', shape => {
  test.each<[string, Reply, number]>([
    ['is cut off', { body: '{"result":{"points":[{"id":7,"payload":{"a":"secret' }, 502],
    ['has another shape', { body: '{"result":["secret"],"status":"ok"}' }, 502],
    ['is not JSON', { body: 'secret' }, 502],
    ['has a result twice', { body: '{"result":{"points":["secret"]},"result":{}}' }, 502],
    ['is partial', { status: 206, body: 'secret' }, 502],
    ['is a redirect', { status: 302, body: 'secret', headers: { location: '/secret' } }, 502],
    ['is a refusal of the key', { status: 401, body: 'secret' }, 502],
  ])('%s', async (_name, reply, status) => {
    const { ask } = await serve(() => reply, { match: shapedAs(shape) })
    const answer = await ask('GET', '/x')
    expect(answer.status).toBe(status)
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain('secret')
  })

  test('is a refusal of the request, which goes on as it is', async () => {
    const body = '{"status":{"error":"Not found: Collection `docs` doesn\'t exist!"},"time":0.1}'
    const { ask } = await serve(() => ({ status: 404, body }), { match: shapedAs(shape) })
    const answer = await ask('GET', '/x')
    expect([answer.status, answer.text]).toEqual([404, body])
  })
})
