import http from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { deferred } from '../support/deferred.ts'
import { exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { openGuarded, pointOf } from './support/guarded.ts'

const stage = createStage()
afterEach(() => stage.close())

const PATH = '/collections/c/points?wait=true'
const good = JSON.stringify({ points: [pointOf(1), pointOf(2)] }, null, 1)
const mixed = JSON.stringify({ points: [pointOf(1), pointOf(2, { embedder_version: 'B' })] })

/** The bytes of a request, with headers of unusual spelling and order. */
function rawRequest(method: string, path: string, body: Buffer, headers: string[]): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'HOST: q',
    'X-Mixed: One',
    'x-mixed: two',
    ...headers,
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

function chunked(body: Buffer): Buffer {
  const parts = [body.subarray(0, 7), body.subarray(7)].flatMap(part => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

const json = 'content-type: application/json'
const sized = (body: Buffer) => `Content-Length: ${body.length}`
const column = { ids: [1, 'b'], vectors: [[1], [2]], payloads: [pointOf(1).payload, pointOf(2).payload] }
const operations = [{ upsert: { points: [pointOf(7)] } }, { delete: { points: [1] } }]
const FORMS: [name: string, method: string, path: string, body: Buffer, headers: (body: Buffer) => string[]][] = [
  ['a list', 'PUT', PATH, Buffer.from(good), body => [json, sized(body)]],
  ['columns', 'PUT', PATH, Buffer.from(JSON.stringify({ batch: column })), body => [json, sized(body)]],
  [
    'a batch',
    'POST',
    '/collections/c/points/batch',
    Buffer.from(JSON.stringify({ operations })),
    b => [json, sized(b)],
  ],
  ['chunks', 'PUT', PATH, chunked(Buffer.from(good)), () => [json, 'Transfer-Encoding: chunked']],
  ['gzip', 'PUT', PATH, gzipSync(good), body => [json, sized(body), 'Content-Encoding: gzip']],
  ['brotli', 'PUT', PATH, brotliCompressSync(good), body => [json, sized(body), 'content-encoding: BR']],
  ['deflate', 'PUT', PATH, deflateSync(good), body => [json, sized(body), 'content-encoding: deflate']],
  ['no content type', 'PUT', PATH, Buffer.from(good), body => [sized(body)]],
  ['no body', 'PUT', PATH, Buffer.from(''), () => ['Content-Length: 0']],
  ['text that is not JSON', 'PUT', PATH, Buffer.from('{"points": [{]'), body => [json, sized(body)]],
  ['bytes that are not UTF-8', 'PUT', PATH, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), body => [json, sized(body)]],
]

describe('a request that goes on', () => {
  it.each(FORMS)('keeps every byte: %s', async (_name, method, path, body, headers) => {
    const guarded = await openGuarded(stage)
    const plain = await stage.serveBefore(guarded.upstream)
    const request = rawRequest(method, path, body, headers(body))
    const answers = []
    for (const url of [plain.url, guarded.url]) answers.push(readAnswer(await exchangeBytes(url, [request]), method))
    expect(answers[1]?.statusLine).toBe(answers[0]?.statusLine)
    expect(answers[1]?.body).toEqual(answers[0]?.body)
    const [direct, through] = guarded.received
    expect(through).toEqual(direct)
    expect(guarded.events).toEqual([])
    expect(guarded.reads.length).toBeGreaterThan(0)
  })

  it('to a collection that is not managed is streamed', async () => {
    const { promise: arrived, resolve } = deferred<string>()
    const script = { metadata: {}, onPart: (part: Buffer) => resolve(part.toString()) }
    const { url, received } = await openGuarded(stage, script)
    const answer = deferred<number | undefined>()
    const request = http.request(url + PATH, { method: 'PUT' }, response =>
      answer.resolve(response.resume().statusCode),
    )
    request.write(mixed.slice(0, 10))
    expect(await arrived).toBe(mixed.slice(0, 10))
    request.end(mixed.slice(10))
    expect([await answer.promise, received[0]?.body.toString()]).toEqual([200, mixed])
  })
})

describe('a body that is compressed', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is checked: %s', async (coding, compress) => {
    const { url, received, events } = await openGuarded(stage)
    const { status, text } = await send(url, 'PUT', PATH, compress(mixed), { 'content-encoding': coding })
    expect([status, text]).toEqual([422, expect.stringContaining('embedder_version')])
    expect(received).toEqual([])
    expect(events).toMatchObject([{ action: 'refused', reason: 'embedder_version' }])
  })

  it.each([
    ['an unknown coding', 'snappy', Buffer.from(good), 422, 'body_unreadable'],
    ['two codings', 'gzip, br', brotliCompressSync(gzipSync(good)), 422, 'body_unreadable'],
    ['bytes of another coding', 'gzip', Buffer.from(good), 422, 'body_unreadable'],
    ['more than is checked', 'gzip', gzipSync(' '.repeat(5_000)), 413, 'body_too_large'],
  ])(
    'and cannot be checked is refused, or only reported with `warn`: %s',
    async (_name, coding, body, status, reason) => {
      for (const [mode, action, expected] of [
        ['enforce', 'refused', status],
        ['warn', 'warned', 200],
      ] as const) {
        const { url, received, events } = await openGuarded(stage, {}, { mode, maxBytes: 2_000 })
        const answer = await send(url, 'PUT', PATH, body, { 'content-encoding': coding })
        expect(answer.status).toBe(expected)
        expect(events).toMatchObject([{ action, reason, collection: 'c' }])
        expect(received.map(request => request.body)).toEqual(mode === 'warn' ? [body] : [])
      }
    },
  )
})

describe('a body that is longer than is checked', () => {
  const long = JSON.stringify({ points: Array.from({ length: 50 }, (_, id) => pointOf(id)) })

  it.each([true, false])(
    'is refused before it is read, or streamed with `warn` (its length is announced: %s)',
    async sized => {
      const bytes = Buffer.from(long)
      const request = sized
        ? rawRequest('PUT', PATH, bytes, [json, `Content-Length: ${bytes.length}`])
        : rawRequest('PUT', PATH, chunked(bytes), [json, 'Transfer-Encoding: chunked'])
      const enforced = await openGuarded(stage, {}, { maxBytes: 1_000 })
      const refusal = readAnswer(await exchangeBytes(enforced.url, [request]), 'PUT')
      expect(refusal.statusLine).toContain('413')
      expect(JSON.parse(refusal.body.toString())).toEqual({
        status: { error: expect.stringContaining('1000 bytes') },
        time: 0,
      })
      expect(enforced.received).toEqual([])

      const warned = await openGuarded(stage, {}, { mode: 'warn', maxBytes: 1_000 })
      expect(readAnswer(await exchangeBytes(warned.url, [request]), 'PUT').statusLine).toContain('200')
      expect(warned.received.map(({ body }) => body.toString())).toEqual([long])
      expect(warned.events).toMatchObject([{ action: 'warned', reason: 'body_too_large' }])
    },
  )

  it('of which the client waits to be told to continue is refused before it is sent', async () => {
    const { url, received } = await openGuarded(stage, {}, { maxBytes: 1_000 })
    const head = [json, `Content-Length: ${long.length}`, 'Expect: 100-continue']
    const answer = await exchangeBytes(url, [rawRequest('PUT', PATH, Buffer.from(''), head)])
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
    expect(received).toEqual([])
  })
})
