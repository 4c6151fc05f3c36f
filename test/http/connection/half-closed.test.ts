import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { answerHalfClosed } from '../../../src/http/connection/half-closed.ts'
import { deferred } from '../../support/deferred.ts'
import { chunk, fill } from '../../support/points.ts'
import { readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { proxyBefore } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

/** Sends bytes, ends the sending side at once, and collects what comes until the server ends its side. */
function exchangeHalfClosed(url: string, bytes: string): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.end(bytes))
    socket.on('data', part => received.push(part)).on('error', reject)
    socket.on('end', () => resolve(Buffer.concat(received)))
  })
}

const request = (line: string, body = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

describe('a client that ends its sending side after the request gets its answer', () => {
  let engine: Awaited<ReturnType<typeof startEmbeddedServer>>
  let stowage: Stowage
  beforeAll(async () => {
    engine = await startEmbeddedServer()
    await fill(engine.url, 'docs', [chunk(1, 'The north berth takes two barges.')])
    stowage = await openStowage({ QDRANT_URL: engine.url })
  })
  afterAll(async () => {
    await stowage.close()
    await engine.close()
  })

  const search = '{"query":{"text":"berth","model":"qdrant/bm25"},"using":"sparse","limit":1}'
  test.each([
    ['GET /healthz', ''],
    ['GET /readyz', ''],
    ['GET /v1/metrics', ''],
    ['GET /v1/openapi.json', ''],
    ['GET /v1/traces/none', ''],
    ['POST /v1/context', '{"query":"berth","collection":"docs"}'],
    ['POST /collections/docs/points/query', search],
    ['POST /collections/docs/points/query/batch', `{"searches":[${search}]}`],
    ['POST /collections/docs/points/scroll', '{}'],
    ['GET /collections', ''],
    ['PUT /collections/docs/index', '{"field_name":"doc_id","field_schema":"keyword"}'],
  ])('%s', async (line, body) => {
    const bytes = await exchangeHalfClosed(stowage.url, request(line, body))
    const { statusLine, complete } = readAnswer(bytes, line.split(' ')[0] ?? '')
    expect(statusLine).toMatch(line.includes('none') ? / 404 / : / 200 /)
    expect(complete).toBe(true)
  })

  test('in HTTP/1.0, which has no interim answers', async () => {
    const bytes = await exchangeHalfClosed(stowage.url, 'GET /collections HTTP/1.0\r\n\r\n')
    expect(bytes.toString()).toMatch(/^HTTP\/1\.[01] 200 /)
  })
})

test('a client that has left is noticed, and its request to Qdrant ends', async () => {
  const reached = deferred<void>()
  const ended = deferred<void>()
  const url = await proxyBefore(stage, (_request, response) => {
    response.once('close', () => ended.resolve())
    reached.resolve()
  })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => socket.write(request('GET /collections')))
  await reached.promise
  socket.destroy()
  await ended.promise
})

describe('an answer that stands still after the client has ended its sending side', () => {
  const SILENCE_MS = 1_000
  const serve = (listener: RequestListener) => {
    const server = createServer(listener)
    answerHalfClosed(server, SILENCE_MS)
    return stage.listen(server)
  }

  test.each([
    ['within its body', 'HTTP/1.1', true],
    ['before its head, in HTTP/1.0', 'HTTP/1.0', false],
  ])('%s ends when the client has left', async (_where, version, hasHead) => {
    const reached = deferred<void>()
    const ended = deferred<void>()
    const url = await serve((_request, response) => {
      response.once('close', () => ended.resolve())
      if (hasHead) response.write('{"result":')
      reached.resolve()
    })
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(`GET / ${version}\r\nHost: x\r\n\r\n`))
    await reached.promise
    if (hasHead) await new Promise(resolve => socket.once('data', resolve))
    socket.end()
    socket.destroy()
    await ended.promise
  })

  test('is complete when its parts come in time', async () => {
    const url = await serve((_request, response) => {
      let parts = 0
      const timer = setInterval(() => {
        response.write('part ')
        parts += 1
        if (parts < 12) return
        clearInterval(timer)
        response.end('end')
      }, SILENCE_MS / 5)
    })
    const bytes = await exchangeHalfClosed(url, request('GET /slow'))
    expect(readAnswer(bytes, 'GET').body.toString()).toBe(`${'part '.repeat(12)}end`)
  })
})
