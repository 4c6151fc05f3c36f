import { QdrantClient, withHeaders } from '@qdrant/js-client-rest'
import fc from 'fast-check'
import { addQuestionHeaders, fetchWithQuestion, questionHeaders, withQuestion } from 'stowage/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findQueryText } from '../../src/drop-in/query/query-text.ts'
import { type UnderstoodQuery, understand } from '../../src/drop-in/query/understand.ts'
import { startRecordingServer } from '../support/recording-server.ts'

type Recording = Awaited<ReturnType<typeof startRecordingServer>>

/** Answers like a Qdrant without points, and keeps what it was asked. */
let server: Recording
beforeAll(async () => {
  server = await startRecordingServer(() => ({
    body: '{"result":{"points":[]},"status":"ok","time":0}',
    headers: { 'content-type': 'application/json' },
  }))
})
afterAll(() => server.close())

const connect = (more: object = {}) =>
  addQuestionHeaders(new QdrantClient({ url: server.url, checkCompatibility: false, ...more }))
const search = (client: QdrantClient, first = 1) => client.query('docs', { query: [first, 0], limit: 1 })
const lastHeaders = () => server.requests.at(-1)?.headers ?? {}
const sent = () => decodeURIComponent(String(lastHeaders()['x-stowage-query']))
const encoded = (question: string) => withQuestion(question, questionHeaders)['x-stowage-query'] ?? ''

describe('the header of a question', () => {
  it('is the percent-encoded beginning of any text, and stowage understands it', async () => {
    const units = fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit))
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(units).map(all => all.join('')),
      fc.string(),
    )
    const [search] = understand('{"query":[0.1]}', { api: 'query', batch: false }) as [UnderstoodQuery]
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 3_000 }), async (text, times) => {
        const question = text.repeat(times)
        const header = encoded(question)
        expect(header).toMatch(/^[!-~]{0,8000}$/u)
        const whole = question.trim().toWellFormed()
        const kept = decodeURIComponent(header)
        expect(whole.startsWith(kept)).toBe(true)
        const [next = ''] = whole.slice(kept.length)
        expect(next === '' || header.length > 8_000 - 12).toBe(true)
        const { text: understood, degraded } = await findQueryText(header, search)
        expect([understood, degraded]).toEqual([kept.trim().slice(0, 8192) || null, []])
      }),
    )
  })

  it.each([
    ['line breaks and NUL', 'Who?\r\nx-evil: 1\0\n\nEnd', 'Who?\r\nx-evil: 1\0\n\nEnd'],
    ['half of a surrogate pair', 'tide \ud83d', 'tide \ufffd'],
    ['the wrong half first', '\udc00\ud800', '\ufffd\ufffd'],
    ['other scripts', '  潮がいつ満ちますか? 🌊 ', '潮がいつ満ちますか? 🌊'],
    ['signs of percent-encoding', '100% of %zz & %41', '100% of %zz & %41'],
  ])('arrives: %s', async (_name, question, arrived) => {
    await withQuestion(question, () => search(connect()))
    expect(sent()).toBe(arrived)
    expect(lastHeaders()).not.toHaveProperty('x-evil')
  })

  it('of 100 kB is cut to what proxies accept, between characters', async () => {
    await withQuestion('🌊'.repeat(50_000), () => search(connect()))
    expect(sent()).toBe('🌊'.repeat(666))
  })

  it.each([null, '', ' \n\t '])('is not there for %j, also inside of a question', async question => {
    await withQuestion('outer', () => withQuestion(question, () => search(connect())))
    expect(lastHeaders()).not.toHaveProperty('x-stowage-query')
  })

  it('comes with the session, when it can be a header', async () => {
    for (const [sessionId, arrived] of [
      ['s-1', 's-1'],
      ['a b', 'a b'],
      ['x'.repeat(200), 'x'.repeat(200)],
      ['x'.repeat(201), undefined],
      ['', undefined],
      [' s', undefined],
      ['é', undefined],
      ['a\r\nb: c', undefined],
    ]) {
      await withQuestion('Who?', () => search(connect()), { sessionId })
      expect(lastHeaders()['x-stowage-session']).toBe(arrived)
      expect(sent()).toBe('Who?')
    }
  })
})

describe('withQuestion', () => {
  it('gives back what the search returns or throws, at once or later', async () => {
    expect(withQuestion('q', () => 7)).toBe(7)
    expect(await withQuestion('q', async () => 7)).toBe(7)
    expect(() =>
      withQuestion('q', () => {
        throw new Error('no')
      }),
    ).toThrow('no')
    await expect(withQuestion('q', () => Promise.reject(new Error('later')))).rejects.toThrow('later')
    expect(questionHeaders()).toEqual({})
  })

  it('holds inside only: before, after, nested and beside', async () => {
    const client = connect()
    await search(client)
    expect(lastHeaders()).not.toHaveProperty('x-stowage-query')
    await withQuestion('outer', async () => {
      await withQuestion('inner', () => search(client))
      expect(sent()).toBe('inner')
      await search(client)
      expect(sent()).toBe('outer')
    })
    await search(client)
    expect(lastHeaders()).not.toHaveProperty('x-stowage-query')
  })

  it('keeps questions at the same time apart, also when requests wait for a connection', async () => {
    const client = connect({ maxConnections: 2 })
    const from = server.requests.length
    const ask = async (n: number) => {
      await new Promise(resolve => setImmediate(resolve))
      return search(client, n)
    }
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 5 === 0 ? ask(n) : withQuestion(`question ${n}`, () => ask(n)))),
    )
    const seen = server.requests.slice(from).map(({ body, headers }) => {
      const n = JSON.parse(body).query[0]
      expect(headers['x-stowage-query']).toBe(n % 5 === 0 ? undefined : encodeURIComponent(`question ${n}`))
      return n
    })
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  it('is needed, because the own `withHeaders` of the client ends at the first await', async () => {
    const client = new QdrantClient({ url: server.url, checkCompatibility: false })
    const later = async () => {
      await Promise.resolve()
      return search(client)
    }
    await withHeaders({ 'x-stowage-query': 'Who' }, later)
    expect(lastHeaders()).not.toHaveProperty('x-stowage-query')
  })
})

describe('addQuestionHeaders', () => {
  it('keeps what the client sends and throws, and does no harm twice', async () => {
    const client = connect({ headers: { 'x-own': '1' } })
    expect(addQuestionHeaders(client)).toBe(client)
    await withQuestion('Who?', () => client.createPayloadIndex('docs', { field_name: 'a', wait: true }))
    expect(server.requests.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/collections/docs/index?wait=true',
      body: '{"field_name":"a"}',
      headers: { 'x-own': '1', 'x-stowage-query': 'Who%3F', 'content-type': 'application/json' },
    })
    const refusing = await startRecordingServer(() => ({ status: 404, body: '{"status":{"error":"no docs"}}' }))
    const [plain, asking] = [refusing.url, refusing.url].map(
      url => new QdrantClient({ url, checkCompatibility: false }),
    ) as [QdrantClient, QdrantClient]
    addQuestionHeaders(asking)
    const failureOf = (client: QdrantClient) => search(client).catch((error: Error) => error)
    const [expected, failure] = [await failureOf(plain), await withQuestion('Who?', () => failureOf(asking))]
    expect(failure).toEqual(expected)
    expect(asking.api().queryPoints.Error).toBeTypeOf('function')
    await refusing.close()
  })

  it('refuses another client', () => {
    expect(() => addQuestionHeaders({ api: () => ({}) })).toThrow(/@qdrant\/js-client-rest/u)
  })
})

describe('fetchWithQuestion', () => {
  it('adds the question to requests of one origin, and changes no other', async () => {
    const other = await startRecordingServer(() => ({ body: '{}' }))
    const fetch = fetchWithQuestion(`${server.url}/prefix`)
    await withQuestion('Who?', async () => {
      await fetch(`${server.url}/a`, { headers: [['x-own', '1']] })
      expect(server.requests.at(-1)?.headers).toMatchObject({ 'x-own': '1', 'x-stowage-query': 'Who%3F' })
      await fetch(new Request(`${server.url}/b`, { method: 'POST', body: '[]', headers: { 'x-own': '2' } }))
      expect(server.requests.at(-1)).toMatchObject({
        method: 'POST',
        body: '[]',
        headers: { 'x-own': '2', 'x-stowage-query': 'Who%3F' },
      })
      await fetch(new URL(other.url))
      expect(other.requests.at(-1)?.headers).not.toHaveProperty('x-stowage-query')
      await expect(fetch('/relative')).rejects.toThrow(TypeError)
    })
    await fetch(server.url)
    expect(lastHeaders()).not.toHaveProperty('x-stowage-query')
    await other.close()
  })

  it('reaches a client that is hidden and was made before, as the global fetch', async () => {
    const client = new QdrantClient({ url: server.url, checkCompatibility: false })
    const original = globalThis.fetch
    globalThis.fetch = fetchWithQuestion(server.url)
    try {
      await withQuestion('Who?', () => search(client))
    } finally {
      globalThis.fetch = original
    }
    expect(sent()).toBe('Who?')
  })
})
