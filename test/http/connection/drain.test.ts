import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Passthrough } from '../../../src/http/passthrough/passthrough.ts'
import { deferred } from '../../support/deferred.ts'
import { createStage } from '../../support/stage.ts'

/** What clients notice of the end of a server. */

const stage = createStage()
afterEach(() => stage.close())

const REQUEST = 'GET /collections HTTP/1.1\r\nHost: h\r\n\r\n'

function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}

/** All that comes until the connection ends. */
async function received(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', part => {
    text += part
  })
  socket.on('error', () => {})
  await once(socket, 'close')
  return text
}

/** Resolves when the server closes its idle connections. */
async function untilIdleAreClosed(unused: Socket): Promise<void> {
  unused.resume()
  await once(unused, 'close')
}

test('connections that wait at the port when the server ends are answered', async () => {
  const passthrough: Passthrough = async (_request, response) => void response.end('done')
  const server = await stage.serve({ passthrough })
  const sockets = Array.from({ length: 20 }, () => open(server.url))
  for (const socket of sockets) socket.write(REQUEST)
  // The sockets connect in the ticks of this turn of the event loop. The server accepts in later turns.
  await Promise.resolve()
  process.nextTick(() => void server.close(60_000))
  const answers = await Promise.all(sockets.map(received))
  expect(answers.filter(answer => answer.endsWith('done'))).toHaveLength(sockets.length)
})

test('an answer that had begun too early to announce the end leaves its connection time for a last request', async () => {
  const [began, release] = [deferred<void>(), deferred<void>()]
  let requests = 0
  const passthrough: Passthrough = async (_request, response) => {
    if (++requests > 1) return void response.end('second')
    response.writeHead(200, { 'content-length': 10 }).write('first')
    began.resolve()
    await release.promise
    response.end('ended')
  }
  const server = await stage.serve({ passthrough })
  const [unused, socket] = [open(server.url), open(server.url)]
  await once(unused, 'connect')
  socket.write(REQUEST)
  await began.promise
  const closing = server.close(60_000)
  await untilIdleAreClosed(unused)
  socket.on('data', part => {
    if (String(part).endsWith('ended')) socket.write(REQUEST)
  })
  release.resolve()
  const text = await received(socket)
  expect(text).toContain('firstended')
  expect(text).toContain('second')
  expect(text).toMatch(/connection: close/iu)
  await closing
})

test('requests that came one behind the other are all answered, and the last answer says that it is the last one', async () => {
  const [began, release] = [deferred<void>(), deferred<void>()]
  const passthrough: Passthrough = async (_request, response) => {
    began.resolve()
    await release.promise
    response.end('done')
  }
  const server = await stage.serve({ passthrough })
  const socket = open(server.url)
  socket.write(REQUEST.repeat(2))
  await began.promise
  const unused = open(server.url)
  const closing = server.close(60_000)
  await untilIdleAreClosed(unused)
  socket.write(REQUEST)
  // Behind it on the other side, so that the server has read both.
  await setTimeout(100)
  release.resolve()
  const answers = (await received(socket)).split('HTTP/1.1 200').slice(1)
  expect(answers.map(answer => /^connection: (.*)/imu.exec(answer)?.[1])).toEqual(['keep-alive', 'keep-alive', 'close'])
  await closing
})

test('an answer that its client reads slowly is not cut', async () => {
  const long = 'long '.repeat(4_000_000)
  const ended = deferred<void>()
  const passthrough: Passthrough = async (_request, response) => {
    response.writeHead(200, { 'content-length': long.length }).flushHeaders()
    response.end(long)
    ended.resolve()
  }
  const server = await stage.serve({ passthrough })
  const [unused, socket] = [open(server.url), open(server.url)]
  await once(unused, 'connect')
  socket.pause()
  socket.write(REQUEST)
  await ended.promise
  const closing = server.close(60_000)
  await untilIdleAreClosed(unused)
  await setImmediate()
  const text = await received(socket.resume())
  expect(text.length).toBeGreaterThan(long.length)
  await closing
})

test.each([
  ['an upload that was answered before its end', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\nhalf', 'half'],
  ['an empty line behind a body', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody', '\r\n'],
])('a connection is idle behind %s', async (_name, request, rest) => {
  const passthrough: Passthrough = async (_request, response) => void response.end('done')
  const server = await stage.serve({ passthrough })
  const socket = open(server.url)
  socket.write(request)
  await once(socket, 'data')
  socket.write(rest)
  const other = open(server.url)
  other.write(REQUEST)
  await once(other, 'data')
  // Node keeps an idle connection for 15 s.
  const late = setTimeout(10_000, 'late', { ref: false })
  expect(await Promise.race([server.close(60_000), late])).toBeUndefined()
})
