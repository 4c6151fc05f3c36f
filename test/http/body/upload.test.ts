import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { readBody } from '../../../src/http/body/read-body.ts'
import { createPassthrough } from '../../../src/http/passthrough/passthrough.ts'
import { deferred } from '../../support/deferred.ts'
import { exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** A stowage before an upstream, that waits `uploadSilenceMs` for a silent client. */
async function serveBefore(
  uploadSilenceMs: number,
  handler: (request: IncomingMessage, response: ServerResponse) => void = request => request.resume(),
) {
  const upstream = await stage.listen(http.createServer(handler))
  const { passthrough } = createPassthrough({ upstream: new URL(upstream) })
  return (await stage.serve({ passthrough, uploadSilenceMs })).url
}

describe('a client that stops in the middle of its body', () => {
  test.each([
    ['/v1/context', { error: { code: 'request_timeout' } }],
    ['/collections/docs/points', { status: { error: expect.stringContaining('sent nothing for') } }],
  ])('is answered 408 and disconnected: %s', async (path, body) => {
    const url = await serveBefore(60)
    const answer = readAnswer(await exchangeBytes(url, [head(path, 100), '{"half":']), 'POST')
    expect(answer.statusLine).toContain('408')
    expect(JSON.parse(answer.body.toString())).toMatchObject(body)
  })

  test('its upload reaches the upstream as a broken one', async () => {
    const broken = deferred<boolean>()
    const url = await serveBefore(60, request => {
      request.resume().once('error', () => {})
      request.once('close', () => broken.resolve(!request.complete))
    })
    await exchangeBytes(url, [head('/collections/docs/points', 100), '{"half":'])
    expect(await broken.promise).toBe(true)
  })

  test('after its answer, it is disconnected', async () => {
    const url = await serveBefore(60, (_request, response) => response.writeHead(413).end())
    const bytes = await exchangeBytes(url, [head('/collections/docs/points', 100), '{"half":'])
    expect(readAnswer(bytes, 'POST').statusLine).toContain('413')
  })
})

describe('an upload that takes longer than the limit', () => {
  test('is received when it keeps moving', async () => {
    const url = await serveBefore(500, async (request, response) => {
      let text = ''
      for await (const part of request) text += part
      response.end(text)
    })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(head('/collections/docs/points', 60).replace('Host: x', 'Host: x\r\nConnection: close'))
    for (let sent = 0; sent < 60; sent++) {
      socket.write('x')
      await wait(20)
    }
    let text = ''
    for await (const part of socket) text += part
    expect(text).toContain('x'.repeat(60))
  })

  test('is received when the whole process pauses for longer than the limit', async () => {
    const url = await serveBefore(400, async (request, response) => {
      let text = ''
      for await (const part of request) text += part
      response.end(text)
    })
    const sending = http.request(`${url}/collections/docs/points`, { method: 'PUT', headers: { 'content-length': 2 } })
    sending.write('a')
    await wait(100)
    for (const end = performance.now() + 600; performance.now() < end; );
    // The client is in this process as well, so it sends some turns of the event loop later.
    setTimeout(() => sending.end('b'), 5)
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    let text = ''
    for await (const part of answer) text += part
    expect(text).toBe('ab')
  })

  test('is received when the upstream is slow to read it', async () => {
    const url = await serveBefore(1_000, async (request, response) => {
      await wait(2_500)
      let length = 0
      for await (const part of request) length += part.length
      response.end(String(length))
    })
    const sending = http.request(`${url}/collections/docs/points`, { method: 'PUT' })
    sending.end(Buffer.alloc(30_000_000))
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    let text = ''
    for await (const part of answer) text += part
    expect(text).toBe('30000000')
  })
})

test('reading a body copies its parts, so that a part of one byte does not keep the buffer it came in', async () => {
  const request = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage & PassThrough
  const reading = readBody(request, {} as ServerResponse, 1_000)
  const slab = Buffer.alloc(1)
  for (const byte of Buffer.from('one byte at a time')) {
    slab[0] = byte
    request.emit('data', slab)
  }
  request.emit('end')
  const { body, complete } = await reading
  expect([body.toString(), complete]).toEqual(['one byte at a time', true])
})
