import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Passthrough } from '../../src/http/passthrough/passthrough.ts'
import { deferred } from '../support/deferred.ts'
import { exchangeBytes } from '../support/raw-client.ts'
import { createStage } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

/** A server whose requests wait until they are released. */
async function serveSlowly() {
  const reached = deferred<void>()
  const release = deferred<void>()
  const passthrough: Passthrough = async (request, response) => {
    if (request.url === '/begun') response.write('begun ')
    reached.resolve()
    await release.promise
    response.end('done')
  }
  const server = await stage.serve({ passthrough })
  return { server, reached: reached.promise, release: release.resolve }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of response) text += part
  return text
}

/** Resolves when nobody can connect any more. */
async function untilPortIsClosed(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (!isOpen) return
    await setTimeout(10)
  }
}

function get(url: string, agent?: http.Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => http.get(url, { agent }, resolve).on('error', reject))
}

test.each(['/waiting', '/begun'])('closing lets a request in flight finish: %s', async path => {
  const { server, reached, release } = await serveSlowly()
  const agent = new http.Agent({ keepAlive: true })
  const response = get(server.url + path, agent)
  await reached
  let closed = false
  const closing = server.close(60_000).then(() => {
    closed = true
  })
  await untilPortIsClosed(server.url)
  expect(closed).toBe(false)
  release()
  const answer = await response
  expect(await textOf(answer)).toContain('done')
  if (path === '/waiting') expect(answer.headers.connection).toBe('close')
  // Even though the client would keep its connection, nothing waits for it.
  await closing
  agent.destroy()
})

test('closing drops idle connections', async () => {
  const server = await stage.serve({ passthrough: (_request, response) => response.end('ok') })
  const agent = new http.Agent({ keepAlive: true })
  await textOf(await get(`${server.url}/`, agent))
  await server.close(60_000)
  agent.destroy()
})

test('a request on a connection that was idle at the closing is answered, and told to go', async () => {
  const server = await stage.serve({ passthrough: (_request, response) => response.end('ok') })
  const agent = new http.Agent({ keepAlive: true })
  await textOf(await get(`${server.url}/`, agent))
  const closing = server.close(60_000)
  await untilPortIsClosed(server.url)
  const answer = await get(`${server.url}/`, agent)
  expect(await textOf(answer)).toBe('ok')
  expect(answer.headers.connection).toBe('close')
  await closing
  agent.destroy()
})

test('closing does not wait for a connection that was opened in advance and never used', async () => {
  const { server, reached, release } = await serveSlowly()
  const { hostname, port } = new URL(server.url)
  const unused = connect(Number(port), hostname)
  await once(unused, 'connect')
  const response = get(`${server.url}/waiting`)
  await reached
  const closing = server.close(60_000)
  unused.resume()
  await once(unused, 'close')
  release()
  expect(await textOf(await response)).toBe('done')
  await closing
})

test('a second request on a connection that was busy at the closing is answered, and told to go', async () => {
  const { server, reached, release } = await serveSlowly()
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /one HTTP/1.1\r\nHost: x\r\n\r\n')
  await reached
  const closing = server.close(60_000)
  await untilPortIsClosed(server.url)
  release()
  let text = ''
  socket.on('data', part => {
    text += part
  })
  await once(socket, 'close')
  expect(text).toMatch(/connection: close/i)
  expect(text).toContain('done')
  await closing
})

test('after the grace what is left is broken', async () => {
  const { server, reached } = await serveSlowly()
  const response = get(`${server.url}/waiting`)
  response.catch(() => {})
  await reached
  await server.close(20)
  await expect(response).rejects.toThrow(/socket hang up|ECONNRESET/)
})

test('an address that is taken, or not known, is an error that names it', async () => {
  const { server } = await serveSlowly()
  const { startServer } = await import('../../src/http/server.ts')
  const { createApp } = await import('../../src/http/app.ts')
  const { quietDependencies } = await import('../support/stage.ts')
  const port = Number(new URL(server.url).port)
  const listen = (host: string) => startServer(createApp(quietDependencies()), { port, host })
  await expect(listen('127.0.0.1')).rejects.toThrow('EADDRINUSE')
  await expect(listen('nowhere.invalid')).rejects.toThrow(`cannot listen on host nowhere.invalid, port ${port}: `)
})

test('a request head as long as Qdrant takes it is taken', async () => {
  const server = await stage.serve({
    passthrough: (request, response) => response.end(String(request.headers.x?.length)),
  })
  const head = `GET / HTTP/1.1\r\nHost: h\r\nX: ${'v'.repeat(100_000)}\r\nConnection: close\r\n\r\n`
  expect((await exchangeBytes(server.url, [head])).toString()).toContain('100000')
})
