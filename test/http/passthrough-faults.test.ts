import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { PassthroughOptions } from '../../src/http/passthrough.ts'
import { deferred } from './support/deferred.ts'
import { exchangeBytes, readAnswer } from './support/raw-client.ts'
import { createStage } from './support/running.ts'

const stage = createStage()
afterEach(() => stage.close())

const GET = 'GET /collections HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function proxyBefore(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<PassthroughOptions> = {},
): Promise<string> {
  return (await stage.serveBefore(await stage.listen(http.createServer(handler)), options)).url
}

/** An upstream that speaks bytes, for what Node's server would not say. */
async function beforeBytes(onConnection: (socket: Socket) => void, options: Partial<PassthroughOptions> = {}) {
  const server = createServer(socket => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  const running = await stage.serveBefore(`http://127.0.0.1:${address.port}`, options)
  return { url: running.url, server }
}

async function ask(url: string, bytes: string | Buffer = GET, method = 'GET') {
  return readAnswer(await exchangeBytes(url, [bytes]), method)
}

function errorText(body: Buffer): string {
  const envelope = JSON.parse(body.toString())
  expect(envelope).toEqual({ status: { error: expect.any(String) }, time: 0 })
  return envelope.status.error
}

describe('an upstream that fails', () => {
  test('is down: 502 in the error envelope of Qdrant', async () => {
    const { server, url } = await beforeBytes(() => {})
    await new Promise(done => server.close(done))
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 502 ')
    expect(errorText(answer.body)).toContain('connection refused')
  })

  test('is down while a large body arrives: the answer is still read', async () => {
    const { server, url } = await beforeBytes(() => {})
    await new Promise(done => server.close(done))
    const head = 'PUT /collections/c/points HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\nConnection: close\r\n\r\n'
    const answer = await ask(url, Buffer.concat([Buffer.from(head), Buffer.alloc(8_000_000, 'x')]))
    expect(answer.statusLine).toContain(' 502 ')
  })

  test('has a name that does not resolve: 502', async () => {
    const { url } = await stage.serveBefore('http://no-such-host.invalid:6333')
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 502 ')
    expect(errorText(answer.body)).not.toContain('no-such-host')
  })

  test('closes before it answers: 502', async () => {
    const { url } = await beforeBytes(socket => socket.on('data', () => socket.resetAndDestroy()))
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 502 ')
    expect(errorText(answer.body)).toContain('closed the connection')
  })

  test('does not speak HTTP: 502', async () => {
    const { url } = await beforeBytes(socket => socket.on('data', () => socket.end('SSH-2.0-nope\r\n\r\n')))
    expect((await ask(url)).statusLine).toContain(' 502 ')
  })

  test('sends a status that HTTP does not have: 502, and the process lives', async () => {
    const { url } = await beforeBytes(socket =>
      socket.on('data', () => socket.end('HTTP/1.1 042 What\r\ncontent-length: 0\r\n\r\n')),
    )
    expect((await ask(url)).statusLine).toContain(' 502 ')
    expect((await ask(url)).statusLine).toContain(' 502 ')
  })

  test('never answers: 504', async () => {
    const url = await proxyBefore(() => {}, { idleTimeoutMs: 50 })
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 504 ')
    expect(errorText(answer.body)).toContain('in time')
  })

  test.each([
    ['announced length', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf of it'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('dies in mid-body (%s): the client sees a broken answer, not a short one', async (_framing, half) => {
    const { url } = await beforeBytes(socket =>
      socket.on('data', () => {
        socket.write(half)
        setTimeout(() => socket.destroy(), 20)
      }),
    )
    const answer = await ask(url)
    expect(answer.statusLine).toContain(' 200 ')
    expect(answer.complete).toBe(false)
  })

  test('falls silent in mid-body: the client sees a broken answer', async () => {
    const url = await proxyBefore(
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

describe('a client that goes away', () => {
  test('while it waits: the upstream request is given up', async () => {
    const given = deferred<void>()
    const url = await proxyBefore((request, response) => {
      response.once('close', () => given.resolve())
      request.resume().once('end', () => client.destroy())
    })
    const client = http.get(url).on('error', () => {})
    await given.promise
  })

  test('in mid-upload: the upstream sees a broken body, not a short one', async () => {
    const seen = deferred<boolean>()
    const url = await proxyBefore(request => {
      request.once('data', () => client.destroy())
      request.once('error', () => {})
      request.once('close', () => seen.resolve(request.complete))
    })
    const client = http.request(url, { method: 'PUT' }).on('error', () => {})
    client.write('half')
    expect(await seen.promise).toBe(false)
  })

  test('in mid-download: the upstream stops sending', async () => {
    const stopped = deferred<void>()
    const url = await proxyBefore((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return
      }
      response.on('drain', more).once('close', stopped.resolve)
      more()
    })
    const client = http.get(url, response => response.once('data', () => client.destroy()))
    client.on('error', () => {})
    await stopped.promise
  })
})

describe('slow sides', () => {
  test('a client that does not read holds the upstream back', async () => {
    const written = { bytes: 0 }
    const url = await proxyBefore((_request, response) => {
      const more = () => {
        do written.bytes += 65_536
        while (written.bytes < 200_000_000 && response.write(Buffer.alloc(65_536)))
      }
      response.on('drain', more)
      more()
    })
    const client = http.get(url)
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    response.pause()
    let last = -1
    while (written.bytes !== last) {
      last = written.bytes
      await new Promise(done => setTimeout(done, 100))
    }
    expect(written.bytes).toBeLessThan(50_000_000)
    client.destroy()
  })

  test('an upstream that does not read holds the upload back', async () => {
    const url = await proxyBefore(request => request.pause())
    const client = http.request(url, { method: 'PUT' }).on('error', () => {})
    let sent = 0
    while (sent < 200_000_000) {
      sent += 65_536
      if (client.write(Buffer.alloc(65_536))) continue
      const drained = once(client, 'drain').then(() => true)
      if (!(await Promise.race([drained, new Promise(done => setTimeout(() => done(false), 300))]))) break
    }
    expect(sent).toBeLessThan(50_000_000)
    client.destroy()
  })

  test('parts of an answer arrive as they are sent', async () => {
    const url = await proxyBefore((_request, response) => {
      response.write('first')
      release.promise.then(() => response.end('last'))
    })
    const release = deferred<void>()
    const [response] = (await once(http.get(url), 'response')) as [IncomingMessage]
    const [part] = (await once(response, 'data')) as [Buffer]
    expect(part.toString()).toBe('first')
    release.resolve()
    await once(response, 'end')
  })
})

describe('uploads', () => {
  test('an answer that comes before the end of a large upload reaches the client', async () => {
    const url = await proxyBefore((request, response) => {
      request.once('data', () => {
        response.writeHead(413, { 'content-type': 'text/plain' })
        response.end('too much')
        request.resume()
      })
    })
    const length = 30_000_000
    const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`
    const answer = await ask(url, Buffer.concat([Buffer.from(head), Buffer.alloc(length)]))
    expect(answer.statusLine).toContain(' 413 ')
    expect(answer.body.toString()).toBe('too much')
  })

  test('an upstream that answers in full and closes on the upload: the answer is whole, the connection stays usable', async () => {
    const { url } = await beforeBytes(socket =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbusy')
        setTimeout(() => socket.destroy(), 500)
      }),
    )
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 2; i++) {
      const client = http.request(url, { method: 'PUT', agent, headers: { 'content-length': 5_000_000 } })
      client.end(Buffer.alloc(5_000_000))
      const [response] = (await once(client, 'response')) as [IncomingMessage]
      let body = ''
      for await (const part of response) body += part
      expect(body).toBe('busy')
      statuses.push(response.statusCode)
    }
    expect(statuses).toEqual([400, 400])
    agent.destroy()
  })

  test('Expect: 100-continue is the upstream’s to grant', async () => {
    const server = http.createServer((request, response) => request.pipe(response))
    server.on('checkContinue', (request, response) => {
      if (request.url === '/refuse') {
        response.writeHead(417)
        response.end()
      } else {
        response.writeContinue()
        server.emit('request', request, response)
      }
    })
    const { url } = await stage.serveBefore(await stage.listen(server))
    const send = (path: string) => {
      const continued: string[] = []
      const client = http.request(url + path, {
        method: 'PUT',
        headers: { expect: '100-continue', 'content-length': 4 },
      })
      client.on('continue', () => {
        continued.push('continue')
        client.end('body')
      })
      // After a refusal the connection is closed, with or without a reset.
      client.on('error', () => {})
      client.flushHeaders()
      return once(client, 'response').then(async ([response]: IncomingMessage[]) => {
        let body = ''
        for await (const part of response ?? []) body += part
        client.destroy()
        return { status: response?.statusCode, body, continued }
      })
    }
    expect(await send('/accept')).toEqual({ status: 200, body: 'body', continued: ['continue'] })
    expect(await send('/refuse')).toEqual({ status: 417, body: '', continued: [] })
  })
})

describe('kept-alive connections that the upstream closed', () => {
  /** Answers the first request of a connection, then resets it when the second arrives. */
  async function staleAfterOne() {
    const seen: string[] = []
    const { url } = await beforeBytes(socket => {
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
    const { url } = await beforeBytes(socket => {
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

  test.each(['1.1 elsewhere', '1.0 stowage-gateway, 1.1 fred (stowage)'])('Via: %s is no loop', async via => {
    const url = await proxyBefore((request, response) => response.end(request.headers.via))
    const answer = await ask(url, GET.replace('Connection', `Via: ${via}\r\nConnection`))
    expect(answer.body.toString()).toContain(`${via}, 1.1 stowage`)
  })
})
