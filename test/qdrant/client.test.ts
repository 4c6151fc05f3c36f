import { describe, expect, it, onTestFinished } from 'vitest'
import { createQdrantHttp, type QdrantHttp, type QdrantRead } from '../../src/qdrant/client.ts'
import { headerPairs, headerValue } from '../../src/qdrant/raw-headers.ts'
import { noAnswer, type Reply, startRecordingServer } from '../support/recording-server.ts'

async function start(reply: Parameters<typeof startRecordingServer>[0], path = '') {
  const server = await startRecordingServer(reply)
  const http = createQdrantHttp(server.url + path)
  onTestFinished(() => http.close())
  onTestFinished(() => server.close())
  return { http, ...server }
}

function read(http: QdrantHttp, over: Partial<QdrantRead> = {}): Promise<unknown> {
  return http.read({ method: 'GET', path: '/x', apiKey: null, signal: new AbortController().signal, ...over })
}

const ok: Reply = { body: '{"result":{"n":1},"status":"ok","time":0.1}' }

describe('createQdrantHttp', () => {
  it('sends the key of each call and no other, below the path of the URL', async () => {
    const { http, requests } = await start(() => ok, '/base/')
    await read(http, { apiKey: 'one' })
    await read(http, { method: 'POST', path: '/a%20b', body: { q: [1.5] } })
    expect(requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: 'GET', path: '/base/x', body: '' },
      { method: 'POST', path: '/base/a%20b', body: '{"q":[1.5]}' },
    ])
    expect(requests.map(({ headers }) => headers['api-key'])).toEqual(['one', undefined])
    expect(requests[1]?.headers['content-type']).toBe('application/json')
  })

  it('reads an answer whose headers are as large as those that pass through', async () => {
    const headers = { 'content-security-policy': `default-src ${'https://static.example.org '.repeat(4_000)}` }
    const { http } = await start(() => ({ ...ok, headers }))
    expect(await read(http)).toEqual({ n: 1 })
  })

  it('has a character for each byte of a header', async () => {
    const value = Buffer.from([0x5a, 0xfc, 0x80, 0xff, 0xc3, 0xbc])
    const { http } = await start(() => response => {
      response.writeHead(200, { 'x-site': value.toString('latin1') }).end(Buffer.from('{}'))
    })
    const { headers } = await http.readRaw({
      method: 'GET',
      path: '/',
      headers: [],
      signal: AbortSignal.timeout(5_000),
    })
    expect(Buffer.from(headerValue(headers, 'x-site') ?? '', 'latin1')).toEqual(value)
  })

  it('asks once more after a reset, and only once', async () => {
    const recovering = await start((_, count) => (count === 1 ? null : ok))
    expect(await read(recovering.http)).toEqual({ n: 1 })
    expect(recovering.requests).toHaveLength(2)
    const broken = await start(() => null)
    await expect(read(broken.http)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(broken.requests).toHaveLength(2)
  })

  it.each([
    [400, '{"status":{"error":"Wrong input: bad filter"},"time":0}', 'bad_request', 'Wrong input: bad filter'],
    [401, 'Must provide an API key', 'unauthorized', 'Must provide an API key'],
    [403, '{"status":{"error":"Forbidden: no"}}', 'forbidden', 'Forbidden: no'],
    [
      404,
      '{"status":{"error":"Not found: Collection `c` doesn\'t exist!"}}',
      'collection_not_found',
      "`c` doesn't exist",
    ],
    [408, '{"status":{"error":"Timeout"}}', 'upstream_timeout', 'Timeout'],
    [429, '{"status":{"error":"slow down"}}', 'too_many_requests', 'slow down'],
    [500, '', 'upstream_error', '500'],
    [503, '<html>', 'upstream_error', '<html>'],
    [302, 'null', 'upstream_error', '302'],
  ])('gives a %i its meaning', async (status, body, code, text) => {
    const { http } = await start(() => ({ status, body, headers: { 'retry-after': '7' } }))
    await expect(read(http)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
      details: { status, retry_after: '7' },
    })
  })

  it.each(['', 'not json', '[]', '"text"', '{"status":"ok"}', '{"result":'])('refuses the answer %j', async body => {
    const { http } = await start(() => ({ body }))
    await expect(read(http)).rejects.toMatchObject({ code: 'upstream_error' })
  })

  it('tells a deadline from a server that is not there', async () => {
    const { http } = await start(() => noAnswer)
    await expect(read(http, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'upstream_timeout' })
    const controller = new AbortController()
    const aborting = await start(() => {
      controller.abort('a reason of some other type')
      return noAnswer
    })
    await expect(read(aborting.http, { signal: controller.signal })).rejects.toMatchObject({ code: 'upstream_timeout' })
    await expect(read(http, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'upstream_timeout' })

    const gone = await startRecordingServer(() => ok)
    await gone.close()
    const absent = createQdrantHttp(`http://user:secret@${new URL(gone.url).host}`)
    onTestFinished(() => absent.close())
    const failure = await read(absent).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'upstream_unavailable', message: 'Qdrant cannot be reached (ECONNREFUSED)' })
  })

  it('gives an answer as it came, whatever its status', async () => {
    const body = '{ "result": 5.0 }'
    const { http, requests } = await start(() => ({ status: 404, body, headers: { 'X-One': 'a' } }), '/base')
    const headers = ['X-Own', '1', 'via', '1.1 a', 'via', '1.1 b']
    const answer = await http.readRaw({ method: 'GET', path: '/x?y=1', headers, signal: new AbortController().signal })
    expect(answer).toMatchObject({ status: 404, text: body })
    expect([...headerPairs(answer.headers)]).toContainEqual(['X-One', 'a'])
    expect(requests[0]).toMatchObject({ path: '/base/x?y=1', headers: { 'x-own': '1', via: '1.1 a, 1.1 b' } })
  })

  it('keeps every digit of an id both ways', async () => {
    const { http, requests } = await start(() => ({ body: '{"result":{"id":18446744073709551615,"score":0.5}}' }))
    expect(await read(http, { method: 'POST', body: { has_id: [18446744073709551614n, 7] } })).toEqual({
      id: 18446744073709551615n,
      score: 0.5,
    })
    expect(requests[0]?.body).toBe('{"has_id":[18446744073709551614,7]}')
  })
})
