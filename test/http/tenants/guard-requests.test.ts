import { afterEach, describe, expect, test } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { createPassthrough } from '../../../src/http/passthrough/passthrough.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import type { MatchRoute, PointCheck } from '../../../src/tenants/guard/guarded.ts'
import type { Tenant } from '../../../src/tenants/tenant.ts'
import { ACME_KEY, guardedAs, guarding, registryOf, testTenant } from '../../support/guarded-requests.ts'
import { exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createRecordingServer, type Recorded, type Reply } from '../../support/recording-server.ts'
import { send } from '../../support/send.ts'
import { createStage } from '../../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

const OK = '{"result":"upstream","status":"ok","time":0.1}'

async function serve(
  matchRoute: MatchRoute,
  reply: (request: Recorded) => Reply = () => ({ body: OK }),
  { tenant = testTenant(), maxBodyBytes }: { tenant?: Tenant; maxBodyBytes?: number } = {},
) {
  const { server, requests } = createRecordingServer(reply)
  const upstream = await stage.listen(server)
  const http = createQdrantHttp(upstream)
  const { url } = await stage.serve({
    passthrough: createPassthrough({ upstream: new URL(upstream) }).passthrough,
    ...guarding(registryOf({ [ACME_KEY]: tenant }), { http, matchRoute, ...(maxBodyBytes && { maxBodyBytes }) }),
  })
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(url, method, path, body, { 'api-key': ACME_KEY, ...headers })
  return { url, requests, ask }
}

/** The answer to raw bytes on a connection of their own. */
async function askRaw(url: string, lines: string[], body = '') {
  const method = lines[0]?.split(' ')[0] ?? 'GET'
  const head = [...lines, 'Connection: close', '', ''].join('\r\n')
  return readAnswer(await exchangeBytes(url, [head + body]), method)
}

describe('what goes to Qdrant', () => {
  const GUARDED = { method: 'POST', target: '/collections/docs/points/scroll', body: '{"guarded":true}' }

  test.each<[string, string[], string]>([
    ['a JSON body', ['POST /x HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 7'], '{"a":1}'],
    [
      'chunks and trailers',
      ['POST /x HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Trailer: x-secret'],
      '7\r\n{"a":1}\r\n0\r\nx-secret: client\r\n\r\n',
    ],
    ['a GET with a body', ['GET /x HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 7'], '{"a":1}'],
    [
      'a method override',
      ['POST /x HTTP/1.1', 'X-HTTP-Method-Override: DELETE', 'Content-Type: application/json', 'Content-Length: 2'],
      '{}',
    ],
    [
      'an upgrade',
      [
        'POST /x HTTP/1.1',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABk',
        'Content-Type: application/json',
        'Content-Length: 2',
      ],
      '{}',
    ],
    [
      'an expectation',
      ['POST /x HTTP/1.1', 'Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 2'],
      '{}',
    ],
    [
      'rewritten targets',
      [
        'POST /x HTTP/1.1',
        'X-Original-URL: /telemetry',
        'X-Rewrite-URL: /telemetry',
        'Cookie: a=b',
        'Content-Type: application/json',
        'Content-Length: 2',
      ],
      '{}',
    ],
  ])('is the guarded request alone: %s', async (_name, lines, body) => {
    const { url, requests } = await serve(guardedAs(GUARDED, true))
    const { statusLine } = await askRaw(
      url,
      [...lines, 'Host: client', `api-key: ${ACME_KEY}`, `Authorization: Bearer ${ACME_KEY}`, 'User-Agent: test'],
      body,
    )
    expect(statusLine).toBe('HTTP/1.1 200 OK')
    const [{ method, path, headers, body: sent } = { headers: {} } as Recorded] = requests
    expect({ method, path, sent, count: requests.length }).toEqual({
      method: 'POST',
      path: GUARDED.target,
      sent: GUARDED.body,
      count: 1,
    })
    const { host, via, connection, ...rest } = headers
    expect(host).not.toBe('client')
    expect({ via: via?.startsWith('1.1 stowage-'), connection }).toEqual({ via: true, connection: 'keep-alive' })
    expect(rest).toEqual({
      'user-agent': 'test',
      'api-key': 'upstream-key',
      'content-type': 'application/json',
      'content-length': String(GUARDED.body.length),
    })
  })

  test('is no body when the guarded request has none, whatever the client sends', async () => {
    const { url, requests } = await serve(guardedAs({ method: 'GET', target: '/collections' }))
    for (const framing of [
      ['Content-Length: 7', '{"a":1}'],
      ['Transfer-Encoding: chunked', '7\r\n{"a":1}\r\n0\r\n\r\n'],
    ]) {
      const lines = ['GET /collections HTTP/1.1', 'Host: x', `api-key: ${ACME_KEY}`, framing[0] ?? '']
      expect((await askRaw(url, lines, framing[1])).statusLine).toBe('HTTP/1.1 200 OK')
    }
    for (const { headers, body } of requests) {
      expect(body).toBe('')
      expect(headers).not.toHaveProperty('transfer-encoding')
      expect(headers).not.toHaveProperty('content-length')
    }
    expect(requests).toHaveLength(2)
  })

  test('holds the keys of inference providers, and no key of the tenant in any header', async () => {
    const { ask, requests } = await serve(guardedAs({}), undefined, { tenant: testTenant({ upstreamKey: null }) })
    await ask('GET', '/collections/docs', undefined, {
      'openai-api-key': 'sk-provider',
      'x-api-key': ACME_KEY,
      'x-request-id': `id-${ACME_KEY}`,
      'proxy-authorization': `Bearer ${ACME_KEY}`,
      'x-tracing-id': 'kept',
    })
    expect(requests[0]?.headers).toMatchObject({ 'openai-api-key': 'sk-provider', 'x-tracing-id': 'kept' })
    expect(JSON.stringify(requests)).not.toContain(ACME_KEY)
    expect(requests[0]?.headers).not.toHaveProperty('api-key')
  })

  test('is nothing without a known key', async () => {
    const { url, requests } = await serve(guardedAs({}))
    for (const headers of [{}, { 'api-key': 'other' }, { authorization: 'Bearer other' }, { 'x-api-key': ACME_KEY }]) {
      expect((await send(url, 'GET', '/collections', undefined, headers as Record<string, string>)).status).toBe(401)
    }
    expect(requests).toEqual([])
  })
})

describe('a body that cannot be read in one way', () => {
  test.each<[string, Record<string, string>, Buffer | string, number]>([
    ['without a type', { 'content-type': '' }, '{}', 400],
    ['of another type', { 'content-type': 'text/plain' }, '{}', 400],
    ['of two types', { 'content-type': 'application/json, text/plain' }, '{}', 400],
    ['in another character set', { 'content-type': 'application/json; charset=utf-16' }, '{}', 400],
    ['compressed', { 'content-encoding': 'gzip' }, '{}', 400],
    ['not in UTF-8', {}, Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['too long', {}, `{"a":"${'x'.repeat(2_000)}"}`, 413],
  ])('is refused: %s', async (_name, headers, body, status) => {
    const { ask, requests } = await serve(guardedAs({}, true), undefined, { maxBodyBytes: 1_000 })
    const answer = await ask('POST', '/collections/docs/points/scroll', body, headers)
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual({ status: { error: expect.any(String) }, time: 0 })
    expect(requests).toEqual([])
  })
})

test('a body that grows beyond the limit by the condition of the tenant is refused with the reason', async () => {
  const { ask, requests } = await serve(guardedAs({ body: `{"a":"${'x'.repeat(2_000)}"}` }, true), undefined, {
    maxBodyBytes: 1_000,
  })
  const answer = await ask('POST', '/collections/docs/points/query', '{}')
  expect(answer.status).toBe(413)
  expect(answer.text).toContain('With the condition of the tenant')
  expect(requests).toEqual([])
})

describe('an answer of Qdrant', () => {
  test.each([401, 403, 500, 503, 507])(
    '%i does not concern the request of the tenant, and its text is not shown',
    async status => {
      const { ask } = await serve(guardedAs({}), () => ({ status, body: 'secret', headers: { 'x-secret': 'secret' } }))
      const answer = await ask('GET', '/collections/docs')
      expect([answer.status, answer.json]).toEqual([502, { status: { error: expect.any(String) }, time: 0 }])
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain('secret')
    },
  )

  test.each([200, 202, 400, 404, 409, 422, 429])('%i goes on as it is', async status => {
    const { ask } = await serve(guardedAs({}), () => ({ status, body: 'odd { bytes', headers: { 'x-qdrant': 'a' } }))
    const { status: seen, text, headers } = await ask('GET', '/collections/docs')
    expect([seen, text, headers.get('x-qdrant')]).toEqual([status, 'odd { bytes', 'a'])
  })
})

describe('checks', () => {
  const refusal = new StowageError('not_found', 'No point with id 7 found')
  const check = (over: Partial<PointCheck> = {}): PointCheck => ({
    collection: 'docs',
    filter: '{"must":[{"has_id":[7]}]}',
    count: 1,
    refusal,
    ...over,
  })
  const points = (count: number): Reply => ({
    body: `{"result":{"points":[${Array.from({ length: count }, (_, id) => `{"id":${id}}`)}],"next_page_offset":null},"status":"ok","time":0}`,
  })
  const isCheck = ({ path }: Recorded) => path.endsWith('/scroll')
  const request = { method: 'POST', target: '/collections/docs/points/query', body: '{}' }

  test('are searches with the upstream key, without payload and vectors, before the request', async () => {
    const { ask, requests } = await serve(guardedAs({ ...request, checks: [check()] }), recorded =>
      isCheck(recorded) ? points(1) : { body: OK },
    )
    expect((await ask('POST', '/x')).text).toBe(OK)
    expect(requests.map(({ path }) => path)).toEqual(['/collections/docs/points/scroll', request.target])
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      filter: { must: [{ has_id: [7] }] },
      limit: 2,
      with_payload: false,
      with_vector: false,
    })
    expect(requests[0]?.headers).toMatchObject({ 'api-key': 'upstream-key', 'accept-encoding': 'identity' })
  })

  test.each([
    [1, 0],
    [1, 2],
    [0, 1],
    [3, 2],
  ])('that need %i points and find %i end the request', async (count, found) => {
    const { ask, requests } = await serve(guardedAs({ ...request, checks: [check({ count }), check()] }), () =>
      points(found),
    )
    const answer = await ask('POST', '/x')
    expect([answer.status, answer.json]).toEqual([404, { status: { error: refusal.message }, time: 0 }])
    expect(requests).toHaveLength(1)
  })

  test.each<[string, Reply, number]>([
    ['is refused the key', { status: 403, body: 'forbidden' }, 502],
    ['fails', { status: 500, body: '{"status":{"error":"broken"},"time":0}' }, 502],
    ['redirects', { status: 307, body: '', headers: { location: '/' } }, 502],
    ['is not understood', { body: '{"result":{"points":{}},"status":"ok"}' }, 502],
    ['has no list', { body: '{"result":{},"status":"ok"}' }, 502],
    ['is cut off', { body: '{"result":{"points":[{"id":7}' }, 502],
    ['loses its connection', null, 502],
    ['finds no collection', { status: 404, body: '{"status":{"error":"Not found: Collection"},"time":0}' }, 404],
    ['is too much', { status: 429, body: 'slow down', headers: { 'retry-after': '3' } }, 429],
  ])('that %s never let the request pass', async (_name, reply, status) => {
    const { ask, requests } = await serve(
      guardedAs({ ...request, checks: [check()] }),
      reply === null ? () => null : () => reply,
    )
    const answer = await ask('POST', '/x')
    expect(answer.status).toBe(status)
    if (status === 404) expect(answer.text).toBe('{"status":{"error":"Not found: Collection"},"time":0}')
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('3')
    expect(requests.filter(recorded => !isCheck(recorded))).toEqual([])
  })

  test('that cannot be sent never let the request pass', async () => {
    const { url } = await stage.serve({
      passthrough: (_request, response) => response.end('an open door'),
      ...guarding(registryOf(), {
        http: createQdrantHttp('http://127.0.0.1:1'),
        matchRoute: guardedAs({ ...request, checks: [check()] }),
      }),
    })
    expect((await send(url, 'POST', '/x', {}, { 'api-key': ACME_KEY })).status).toBe(503)
  })
})
