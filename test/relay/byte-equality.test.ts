import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { assortedRequests } from '../http/support/assorted-requests.ts'
import { createEchoUpstream } from '../http/support/echo-upstream.ts'
import { deferred } from '../support/deferred.ts'
import { comparable, exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { createStage } from '../support/stage.ts'
import { createFakeEndpoint } from './support/fake-endpoint.ts'
import { serveRelay } from './support/relay-stage.ts'

const errorOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error

const PATHS = ['/v1/embeddings', '/v2/embed', '/api/embed', '/v1/chat/completions', '/v1/models/a%2Fb', '/v1/models']

/** A request in bytes, over a connection of its own. */
function requestBytes(path: string, body: string | Buffer, headers: string[] = []): (string | Buffer)[] {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    'Connection: close',
  ]
  return [`${head.join('\r\n')}\r\n\r\n`, body]
}

describe('through the relay', () => {
  const stage = createStage()
  let echo: string
  let echoed: string
  let direct: string
  let relayed: string
  const endpoint = createFakeEndpoint()
  beforeAll(async () => {
    echo = await stage.listen(createEchoUpstream())
    echoed = (await serveRelay(stage, echo)).url
    direct = await stage.listen(endpoint.server)
    relayed = (await serveRelay(stage, direct)).url
  })
  afterAll(() => stage.close())

  const ask = async (url: string, parts: (string | Buffer)[], method = 'POST') =>
    comparable(readAnswer(await exchangeBytes(url, parts), method))

  async function expectEqual(name: string, parts: (string | Buffer)[]) {
    const [expected, actual] = [await ask(direct, parts), await ask(relayed, parts)]
    expect({ name, ...actual }).toEqual({ name, ...expected })
    return actual
  }

  it('assorted requests get the answer that a direct call gets', async () => {
    const requests = assortedRequests(150)
    let moved = 0
    for (const [at, { name, method, parts }] of requests.entries()) {
      const path = PATHS[at % PATHS.length] ?? ''
      const [head, ...rest] = parts
      const placed = String(head).replace(/^(\S+) \/[^ ?]*(\?[^ ]*shape=)/, `$1 ${path}$2`)
      if (placed === head) continue
      moved++
      const [expected, actual] = [
        await ask(echo, [placed, ...rest], method),
        await ask(echoed, [placed, ...rest], method),
      ]
      expect({ name, path, ...actual }).toEqual({ name, path, ...expected })
    }
    expect(moved).toBeGreaterThan(120)
  })

  it.each([
    ['a question', '{"model":"m","input":"who?"}'],
    ['base64', '{"model":"m","input":["who?","what?"],"encoding_format":"base64"}'],
    ['many texts', JSON.stringify({ input: Array.from({ length: 300 }, (_, at) => `text ${at}`) })],
    ['broken JSON', '{"model":"m","input":"who'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['100 kB of one character', `{"input":"${'x'.repeat(100_000)}"}`],
    ['100 kB of brackets', '['.repeat(100_000)],
    ['duplicate keys', '{"input":"a","input":"b"}'],
    ['an empty body', ''],
    ['5 MB', JSON.stringify({ input: ['y'.repeat(5_000_000)] })],
    ['__proto__', '{"__proto__":{"input":"a"},"input":"b","model":{"a":1}}'],
  ])('%s', async (name, body) => {
    for (const path of ['/v1/embeddings', '/v1/embeddings?coding=gzip', '/v1/embeddings?coding=br'])
      await expectEqual(name, requestBytes(path, body))
  })

  it('errors of the endpoint, unknown paths of it, and streams of events', async () => {
    expect((await expectEqual('404', requestBytes('/v1/moderations', '{}'))).statusLine).toContain('404')
    expect((await expectEqual('400', requestBytes('/api/embed', '{'))).statusLine).toContain('400')
    const events = await expectEqual('events', requestBytes('/v1/chat/completions', '{"stream":true}'))
    expect(Buffer.from(events.body, 'base64').toString()).toContain('[DONE]')
  })

  it('leaves the paths of Qdrant and of stowage alone', async () => {
    const before = endpoint.asked.length
    const foreign = ['/v1/context', '/v1/metrics', '/collections', '/v1/embeddingsx', '/V1/embeddings', '/api/other']
    for (const path of foreign) await (await fetch(relayed + path)).text()
    // fetch would resolve these itself.
    const ways = ['..', '.', '%2e%2E', '..%2F..', 'a/..', '..\\..'].map(way => `/v1/models/${way}/admin`)
    for (const way of [...ways, '/v1/embeddings#/../admin', '/v1/models?a#/../admin'])
      await ask(relayed, [`GET ${way} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`], 'GET')
    expect(endpoint.asked.slice(before)).toEqual([])
    const own = ['/v1/models', '/v1/models/ft:gpt-4o:a..b', '/v1/models/org/name']
    for (const path of own) await (await fetch(relayed + path)).text()
    expect(endpoint.asked.slice(before).map(({ path }) => path)).toEqual(own)
  })
})

describe('an endpoint that fails', () => {
  const stage = createStage()
  afterEach(() => stage.close())
  const ask = (url: string) =>
    fetch(`${url}/v1/embeddings`, {
      method: 'POST',
      body: '{"input":"q"}',
      headers: { 'content-type': 'application/json' },
    })

  it('is away: 502 in the shape of stowage, without its address', async () => {
    const { server, url: gone } = await stage.listenBytes(() => {})
    const { url } = await serveRelay(stage, gone)
    // Not before the relay listens, which could get the same port.
    await new Promise(done => server.close(done))
    const answer = await ask(url)
    expect(answer.status).toBe(502)
    expect(await answer.json()).toEqual({
      error: { code: 'upstream_error', message: 'The endpoint of embeddings cannot be reached' },
    })
    const other = await fetch(`${url}/api/embed`, { method: 'POST', body: '{}' })
    expect([other.status, (await errorOf(other)).code]).toEqual([502, 'upstream_error'])
  })

  it('is killed before it answers: 502', async () => {
    const { url: upstream } = await stage.listenBytes(socket => socket.once('data', () => socket.resetAndDestroy()))
    const answer = await ask((await serveRelay(stage, upstream)).url)
    expect([answer.status, (await errorOf(answer)).code]).toEqual([502, 'upstream_error'])
  })

  it('is silent: 504', async () => {
    const { url: upstream } = await stage.listenBytes(() => {})
    const answer = await ask((await serveRelay(stage, upstream, { idleTimeoutMs: 50 })).url)
    expect([answer.status, (await errorOf(answer)).code]).toEqual([504, 'upstream_timeout'])
  })

  it('is killed in the middle of its answer: the client sees a broken answer, and nothing is remembered', async () => {
    const begun = deferred<void>()
    const { url: upstream } = await stage.listenBytes(socket =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"data":[{"embedding":[1,0.5')
        void begun.promise.then(() => socket.destroy())
      }),
    )
    const { url, memory } = await serveRelay(stage, upstream)
    const request = http.request(`${url}/v1/embeddings`, { method: 'POST' }).end('{"input":"q"}')
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.once('data', () => begun.resolve())
    await expect(once(response, 'end')).rejects.toThrow('aborted')
    expect(memory.size).toBe(0)
  })

  it('streams an answer of 30 MB to a client that reads slowly, without holding it', async () => {
    const size = 30_000_000
    const upstream = await stage.listen(
      http.createServer((_request, response) => void response.end(Buffer.alloc(size, '[0.1,'))),
    )
    const { url, noticed } = await serveRelay(stage, upstream)
    const answer = await ask(url)
    let length = 0
    for await (const part of answer.body ?? []) length += part.length
    expect(length).toBe(size)
    await expect.poll(() => noticed).toEqual([{ outcome: 'skipped', count: 1 }])
  })
})
