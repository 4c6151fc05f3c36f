import http from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { proxyBeforeBytes } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

const TOO_LARGE =
  'HTTP/1.1 413 Payload Too Large\r\ncontent-length: 8\r\nx-limit: 1\r\nconnection: close\r\n\r\ntoo much'
const LENGTH = 20_000_000

/** An upload as one piece, or in parts with pauses in which other events are handled. */
function uploadOf(framing: string): (string | Buffer)[] {
  const head = 'PUT /collections/c/points HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
  const body = Buffer.alloc(LENGTH, 'x')
  if (framing === 'sized') return [`${head}Content-Length: ${LENGTH}\r\n\r\n`, body]
  return [`${head}Transfer-Encoding: chunked\r\n\r\n${LENGTH.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
}

describe.each(['sized', 'chunked'])('an upstream that answers 413 on the head of a %s upload', framing => {
  test('and resets the connection: the client gets the answer, every time', async () => {
    const upstream = await stage.listenBytes(socket => {
      socket.once('readable', () => socket.write(TOO_LARGE, () => socket.destroy()))
    })
    const through = await stage.serveBefore(upstream.url)
    for (const { url } of [upstream, through]) {
      const found: string[] = []
      for (let turn = 0; turn < 8; turn += 1) {
        const { statusLine, body } = readAnswer(await exchangeBytes(url, uploadOf(framing)), 'PUT')
        found.push(`${statusLine} ${body}`)
      }
      expect(found).toEqual(Array(8).fill('HTTP/1.1 413 Payload Too Large too much'))
    }
  })

  test('and closes its side: the client gets the answer, and the connection to the upstream does not stay', async () => {
    const open = new Set<unknown>()
    const { url } = await proxyBeforeBytes(stage, socket => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      socket.once('data', () => socket.pause().end(TOO_LARGE, () => setImmediate(() => socket.resetAndDestroy())))
    })
    const { statusLine } = readAnswer(await exchangeBytes(url, uploadOf(framing)), 'PUT')
    expect(statusLine).toBe('HTTP/1.1 413 Payload Too Large')
    expect(open.size).toBe(0)
  })

  test('and breaks off within its answer: the client sees a broken answer, not a short one', async () => {
    const { url } = await proxyBeforeBytes(stage, socket => {
      socket.once('readable', () => socket.write(TOO_LARGE.replace('8', '800'), () => socket.destroy()))
    })
    const { statusLine, complete } = readAnswer(await exchangeBytes(url, uploadOf(framing)), 'PUT')
    expect(statusLine).toBe('HTTP/1.1 413 Payload Too Large')
    expect(complete).toBe(false)
  })
})

test('an upstream that resets an upload without an answer is a 502', async () => {
  const { url } = await proxyBeforeBytes(stage, socket => socket.once('readable', () => socket.resetAndDestroy()))
  const { statusLine } = readAnswer(await exchangeBytes(url, uploadOf('sized')), 'PUT')
  expect(statusLine).toContain(' 502 ')
})

test('an upstream that ends an upload without an answer is a 502, and the connection does not stay', async () => {
  const upstream = http.createServer()
  upstream.on('connection', socket => socket.once('readable', () => socket.end()))
  const { url } = await stage.serveBefore(await stage.listen(upstream))
  const { statusLine } = readAnswer(await exchangeBytes(url, uploadOf('sized')), 'PUT')
  expect(statusLine).toContain(' 502 ')
})
