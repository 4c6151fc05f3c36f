import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { OWN_VIA } from '../../../src/http/passthrough/via.ts'
import { deferred } from '../../support/deferred.ts'
import { exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage, silentReporter } from '../../support/stage.ts'
import { proxyBefore, proxyBeforeBytes } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

const GET = 'GET /collections HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function ask(url: string, bytes: string | Buffer = GET, method = 'GET') {
  return readAnswer(await exchangeBytes(url, [bytes]), method)
}

function errorText(body: Buffer): string {
  const envelope = JSON.parse(body.toString())
  expect(envelope).toEqual({ status: { error: expect.any(String) }, time: 0 })
  return envelope.status.error
}

describe('an upstream that fails', () => {
  test('is down: 503 in the error envelope of Qdrant', async () => {
    const { server, url } = await proxyBeforeBytes(stage, () => {})
    await new Promise(done => server.close(done))
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 503 ')
    expect(errorText(answer.body)).toBe('Qdrant cannot be reached (ECONNREFUSED)')
  })

  test('is down while a large body arrives: the answer is still read', async () => {
    const { server, url } = await proxyBeforeBytes(stage, () => {})
    await new Promise(done => server.close(done))
    const head = 'PUT /collections/c/points HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\nConnection: close\r\n\r\n'
    const answer = await ask(url, Buffer.concat([Buffer.from(head), Buffer.alloc(8_000_000, 'x')]))
    expect(answer.statusLine).toContain(' 503 ')
  })

  test('has a name that does not resolve: 503', async () => {
    const { url } = await stage.serveBefore('http://no-such-host.invalid:6333')
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 503 ')
    expect(errorText(answer.body)).not.toContain('no-such-host')
  })

  test('closes before it answers: 502', async () => {
    const { url } = await proxyBeforeBytes(stage, socket => socket.on('data', () => socket.resetAndDestroy()))
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 502 ')
    expect(errorText(answer.body)).toContain('closed the connection')
  })

  test('answers with another protocol that nobody asked for: 502', async () => {
    const { url } = await proxyBeforeBytes(stage, socket =>
      socket.on('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      ),
    )
    expect((await ask(url)).statusLine).toContain(' 502 ')
  })

  test('does not speak HTTP: 502', async () => {
    const { url } = await proxyBeforeBytes(stage, socket => socket.on('data', () => socket.end('SSH-2.0-nope\r\n\r\n')))
    expect((await ask(url)).statusLine).toContain(' 502 ')
  })

  test('sends a status that HTTP does not have: 502, and the process lives', async () => {
    const { url } = await proxyBeforeBytes(stage, socket =>
      socket.on('data', () => socket.end('HTTP/1.1 042 What\r\ncontent-length: 0\r\n\r\n')),
    )
    expect((await ask(url)).statusLine).toContain(' 502 ')
    expect((await ask(url)).statusLine).toContain(' 502 ')
  })

  test('never answers: 504', async () => {
    const url = await proxyBefore(stage, () => {}, { idleTimeoutMs: 50 })
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 504 ')
    expect(errorText(answer.body)).toContain('in time')
  })

  test.each([
    ['announced length', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf of it'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('dies in mid-body (%s): the client sees a broken answer, not a short one', async (_framing, half) => {
    const begun = deferred<void>()
    const { url } = await proxyBeforeBytes(stage, socket =>
      socket.once('data', () => {
        socket.write(half)
        void begun.promise.then(() => socket.destroy())
      }),
    )
    const [response] = (await once(http.get(url), 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    response.once('data', () => begun.resolve())
    await expect(once(response, 'end')).rejects.toThrow('aborted')
    expect(response.complete).toBe(false)
  })

  test('falls silent in mid-body: the client sees a broken answer', async () => {
    const url = await proxyBefore(
      stage,
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('begun')
      },
      { idleTimeoutMs: 500 },
    )
    const answer = await ask(url)
    expect(answer.body.toString()).toBe('begun')
    expect(answer.complete).toBe(false)
  })
})

describe('kept-alive connections that the upstream closed', () => {
  /** Answers the first request of a connection, then resets it when the second arrives. */
  async function staleAfterOne() {
    const seen: string[] = []
    const { url } = await proxyBeforeBytes(stage, socket => {
      let answered = 0
      socket.on('data', part => {
        if (!/^[A-Z]+ \//.test(part.toString())) return
        if (answered++ > 0) {
          socket.resetAndDestroy()
          return
        }
        seen.push(part.toString().split(' ', 2).join(' '))
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    return { url, seen }
  }

  test('a read is sent again, once, on a new connection', async () => {
    const { url, seen } = await staleAfterOne()
    expect((await ask(url)).statusLine).toContain(' 200 ')
    expect((await ask(url)).statusLine).toContain(' 200 ')
    expect(seen).toEqual(['GET /collections', 'GET /collections'])
  })

  test.each([
    ['DELETE /collections/c', ''],
    ['PUT /collections/c/points', '{}'],
    // A read, but its body has been streamed away.
    ['POST /collections/c/points/query', '{}'],
  ])('%s is not sent again', async (line, body) => {
    const { url } = await staleAfterOne()
    await ask(url)
    const bytes = `${line} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    const answer = await ask(url, bytes)
    expect(answer.statusLine).toContain(' 502 ')
  })

  test('an upstream that resets every connection is asked twice at most', async () => {
    let connections = 0
    const { url } = await proxyBeforeBytes(stage, socket => {
      connections++
      let answered = 0
      socket.on('data', () => {
        if (connections > 1 || answered++ > 0) socket.resetAndDestroy()
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    await ask(url)
    expect((await ask(url)).statusLine).toContain(' 502 ')
    expect(connections).toBe(2)
  })
})

describe('loops', () => {
  test.each(['GET', 'POST'])('a %s that was here before is counted as one, whatever its route', async method => {
    const reasons: string[] = []
    const reporter = { ...silentReporter, passedThrough: ({ reason }: { reason: string }) => void reasons.push(reason) }
    const { url } = await stage.serve({ reporter })
    const bytes = `${method} /collections/c/points/query HTTP/1.1\r\nVia: 1.0 a, ${OWN_VIA[1].toUpperCase()}\r\nConnection: close\r\n\r\n`
    expect((await ask(url, bytes, method)).statusLine).toContain(' 502 ')
    expect(reasons).toEqual(['loop'])
  })

  test('a request that comes back is refused', async () => {
    const holder = { url: '' }
    const relay = http.createServer((request, response) => {
      const back = http.request(holder.url, { method: request.method, headers: request.headers }, incoming => {
        response.writeHead(incoming.statusCode ?? 500, incoming.rawHeaders)
        incoming.pipe(response)
      })
      request.pipe(back)
    })
    holder.url = (await stage.serveBefore(await stage.listen(relay))).url
    const answer = await ask(holder.url)
    expect(answer.statusLine).toContain(' 502 ')
    expect(errorText(answer.body)).toContain('loop')
  })

  test.each(['1.1 elsewhere', '1.0 stowage, 1.1 stowage-01234567', `1.1 fred (${OWN_VIA[1]})`])(
    'Via: %s is no loop',
    async via => {
      const url = await proxyBefore(stage, (request, response) => response.end(request.headers.via))
      const answer = await ask(url, GET.replace('Connection', `Via: ${via}\r\nConnection`))
      expect(answer.body.toString()).toContain(`${via}, ${OWN_VIA[1]}`)
    },
  )
})
