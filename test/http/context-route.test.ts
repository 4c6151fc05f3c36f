import http from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { Caller } from '../../src/pipeline/caller.ts'
import type { ContextRequest, ContextResponse } from '../../src/pipeline/context-request.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { deferred } from '../support/deferred.ts'
import { createStage, silentReporter } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

const GOOD = { query: 'Who is Isharoth?', collection: 'docs' }
const ANSWER = contextAnswer({ context: 'packed', tokens: 1, budget_tokens: 100, trace_id: 't1' })

/** Serves a packContext that keeps what it was asked. */
async function serveContext(answer: ContextResponse = ANSWER) {
  const asked: { request: ContextRequest; caller: Caller }[] = []
  const { url } = await stage.serve({
    packContext: async (request, caller) => {
      asked.push({ request, caller })
      return answer
    },
  })
  return { url: `${url}/v1/context`, asked }
}

async function post(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body, headers })
  const text = await response.text()
  return { status: response.status, type: response.headers.get('content-type'), text, json: JSON.parse(text) }
}

/** The edge in front of a packContext that must not be reached. */
async function postToEdge(body: unknown) {
  const { url } = await stage.serve()
  return post(`${url}/v1/context`, typeof body === 'string' ? body : JSON.stringify(body))
}

describe('a good request', () => {
  test('reaches the pipeline with its caller', async () => {
    const { url, asked } = await serveContext()
    const full = {
      ...GOOD,
      collection: ['docs', 'notes'],
      filter: { must: [{ key: 'lang', match: { value: 'en' } }] },
      budget_tokens: 0,
      model: 'gpt-4o',
      limit: 5,
      vector: [0.5, -1],
      session_id: 's',
      format: 'xml',
      order: 'edges',
      trace: true,
      deadline_ms: 800,
    }
    const { status, type, json } = await post(url, JSON.stringify(full), {
      'api-key': 'k1',
      authorization: 'Bearer k2',
    })
    expect({ status, type, json }).toEqual({ status: 200, type: 'application/json', json: ANSWER })
    expect(asked[0]?.request).toEqual(full)
    expect(asked[0]?.caller).toMatchObject({ apiKey: 'k1', tenant: null })
  })

  test.each([
    ['a bearer token', { authorization: 'bearer  k2 ' }, 'k2'],
    ['no key', {}, null],
    ['another scheme', { authorization: 'Basic a2V5' }, null],
  ])('with %s', async (_name, headers, apiKey) => {
    const { url, asked } = await serveContext()
    await post(url, JSON.stringify(GOOD), headers as Record<string, string>)
    expect(asked[0]?.caller.apiKey).toBe(apiKey)
  })

  test('of any content type, with a byte order mark', async () => {
    const { url } = await serveContext()
    expect((await post(url, `\ufeff${JSON.stringify(GOOD)}`, { 'content-type': 'text/plain' })).status).toBe(200)
  })

  test('keeps every digit of u64 ids, in the filter and in the answer', async () => {
    const chunk = { id: 18446744073709551615n, score: 0.5 } as ContextResponse['chunks'][number]
    const { url, asked } = await serveContext({ ...ANSWER, chunks: [chunk] })
    const body =
      '{"query":"q","collection":"c","filter":{"must":[{"has_id":[18446744073709551615,7,9007199254740993]}]}}'
    const { text } = await post(url, body)
    expect(asked[0]?.request.filter).toEqual({ must: [{ has_id: [18446744073709551615n, 7, 9007199254740993n] }] })
    expect(text).toContain('"id":18446744073709551615,')
  })

  test('a filter key that JavaScript treats apart is not lost', async () => {
    const { url, asked } = await serveContext()
    await post(url, '{"query":"q","collection":"c","filter":{"__proto__":{"must":[]},"should":[]}}')
    expect(Object.keys(asked[0]?.request.filter ?? {})).toEqual(['__proto__', 'should'])
  })

  test('without a filter when it is null, as clients of Qdrant send an absent one', async () => {
    const { url, asked } = await serveContext()
    expect((await post(url, JSON.stringify({ ...GOOD, filter: null }))).status).toBe(200)
    expect(asked[0]?.request.filter ?? null).toBeNull()
  })

  test('a client that goes away aborts its work', async () => {
    const reached = deferred<Caller>()
    const { url } = await stage.serve({
      packContext: (_request, caller) => {
        reached.resolve(caller)
        return new Promise((_resolve, reject) => caller.signal.addEventListener('abort', reject, { once: true }))
      },
    })
    const client = http.request(`${url}/v1/context`, { method: 'POST' }).on('error', () => {})
    client.end(JSON.stringify(GOOD))
    const { signal } = await reached.promise
    const aborted = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    client.destroy()
    await aborted
  })
})

describe('a bad request never reaches the pipeline', () => {
  const wrong: [field: string, value: unknown][] = [
    ['query', undefined],
    ['query', null],
    ['query', ''],
    ['query', 7],
    ['query', ['q']],
    ['query', 'x'.repeat(8_193)],
    ['query', 'x'.repeat(1_000_000)],
    ['collection', undefined],
    ['collection', ''],
    ['collection', []],
    ['collection', ['docs', '']],
    ['collection', ['docs', 3]],
    ['collection', { name: 'docs' }],
    ['collection', 'c'.repeat(256)],
    ['collection', Array(17).fill('docs')],
    ['filter', []],
    ['filter', 'lang=en'],
    ['budget_tokens', -1],
    ['budget_tokens', 1.5],
    ['budget_tokens', '2000'],
    ['budget_tokens', 10_000_001],
    ['budget_tokens', null],
    ['model', ''],
    ['model', 5],
    ['limit', 0],
    ['limit', 1_001],
    ['limit', 2.5],
    ['vector', []],
    ['vector', 'none'],
    ['vector', [1, null]],
    ['vector', [1, '2']],
    ['vector', Array(65_537).fill(0)],
    ['session_id', ''],
    ['session_id', 1],
    ['format', 'html'],
    ['format', 1],
    ['order', 'random'],
    ['trace', 'yes'],
    ['trace', 1],
    ['deadline_ms', 0],
    ['deadline_ms', 600_001],
    ['deadline_ms', '100'],
    ['surprise', true],
    ['Query', 'wrong case'],
  ]
  test.each([
    ['budget_token', 'unknown key; did you mean budget_tokens?'],
    ['Query', 'unknown key; did you mean query?'],
    ['surprise', 'unknown key'],
  ])('the wrong key %s is answered with the one that is near', async (field, message) => {
    const { json } = await postToEdge({ ...GOOD, [field]: 1 })
    expect(json.error.details).toEqual([{ field, message, value: '1' }])
    expect(json.error.message).toBe(`Invalid request: ${field}: ${message}`)
  })

  test.each(wrong.map(([field, value], i) => [`${i} ${field}`, field, value] as const))(
    '%s',
    async (_name, field, value) => {
      const { status, json } = await postToEdge({ ...GOOD, [field]: value })
      expect(status).toBe(400)
      expect(json.error.code).toBe('bad_request')
      expect(json.error.message).toContain(field)
      const fault = json.error.details.find((one: { field: string }) => one.field.split('.')[0] === field)
      if (value === undefined) expect(fault.value).toBeNull()
      else expect(JSON.stringify(value)).toContain(fault.value.split('…')[0])
    },
  )

  test('all faults are named at once', async () => {
    const { json } = await postToEdge({ query: '', limit: 0, vector: [1, 'a'], extra: 1, more: 2 })
    const fields = json.error.details.map((fault: { field: string }) => fault.field)
    expect(new Set(fields)).toEqual(new Set(['query', 'collection', 'limit', 'vector.1', 'extra', 'more']))
  })

  test('a wrong item of a list is named by its place', async () => {
    const { json } = await postToEdge({ ...GOOD, collection: ['c', 5] })
    expect(json.error.details).toEqual([
      { field: 'collection.1', message: 'Invalid input: expected string, received number', value: '5' },
    ])
  })

  test.each(['1e999', '-1e999'])('a vector with %s', async number => {
    const { status, json } = await postToEdge(`{"query":"q","collection":"c","vector":[0.5,${number}]}`)
    expect(status).toBe(400)
    expect(json.error.details).toEqual([
      expect.objectContaining({ field: 'vector.1', value: expect.stringContaining('Infinity') }),
    ])
  })

  test.each([
    ['nothing', ''],
    ['half an object', '{"query": "q"'],
    ['NaN', '{"query":"q","collection":"c","vector":[NaN]}'],
    ['two values', '{} {}'],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['2 million brackets', '['.repeat(2_000_000)],
    ['a balanced million', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['long digits in deep arrays', `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '12345678901234567890'],
  ])('a body of %s', async (_name, body) => {
    const { url } = await stage.serve()
    const { status, json } = await post(`${url}/v1/context`, body)
    expect(status).toBe(400)
    expect(json.error.code).toBe('bad_request')
  })

  test.each([
    ['objects in lists', (depth: number) => `${'{"must":['.repeat(depth)}${']}'.repeat(depth)}`, 70, 400],
    ['objects', (depth: number) => `${'{"must":'.repeat(depth)}{}${'}'.repeat(depth)}`, 70, 400],
    ['as deep as allowed', (depth: number) => `${'{"must":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`, 64, 200],
  ])('a filter of depth: %s', async (_name, nest, depth, status) => {
    const { url } = await serveContext()
    const answer = await post(url, `{"query":"q","collection":"c","filter":${nest(depth)}}`)
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.json.error.details[0].field).toBe('filter')
  })

  test('a body over the limit: 413, with and without an announced length', async () => {
    const { url } = await stage.serve({ maxContextBytes: 1_000 })
    const body = JSON.stringify({ ...GOOD, query: 'x'.repeat(5_000_000) })
    expect((await post(`${url}/v1/context`, body)).status).toBe(413)
    const stream = new Blob([body]).stream()
    const request = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
    const chunked = await fetch(`${url}/v1/context`, request)
    expect(chunked.status).toBe(413)
    expect(JSON.parse(await chunked.text()).error.code).toBe('payload_too_large')
  })

  test.each<[field: string, body: string]>([
    [
      'filter',
      JSON.stringify({ ...GOOD, filter: { must: Array(20_000).fill({ key: 'lang', match: { value: 'en' } }) } }),
    ],
    ['extra', `{"query":"q","extra":[${Array(200_000).fill('{}')}]}`],
    ['body', `[${Array(200_000).fill('{}')}]`],
  ])('%s has more than 256 KiB of JSON', async (field, body) => {
    const { status, json } = await postToEdge(body)
    expect(status).toBe(400)
    expect(json.error.details).toEqual([{ field, message: 'is longer than 262144 bytes', value: null }])
  })

  test('a compressed body is refused by name', async () => {
    const { url } = await stage.serve()
    const { status, json } = await post(`${url}/v1/context`, JSON.stringify(GOOD), { 'content-encoding': 'gzip' })
    expect(status).toBe(400)
    expect(json.error.details[0].field).toBe('content-encoding')
  })

  test('another method', async () => {
    const { url } = await stage.serve()
    const response = await fetch(`${url}/v1/context`)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(JSON.parse(await response.text()).error.message).toContain('POST')
  })
})

describe('errors of the pipeline', () => {
  async function failingWith(error: unknown) {
    const reported: unknown[] = []
    const { url } = await stage.serve({
      packContext: () => Promise.reject(error),
      reporter: { ...silentReporter, requestFailed: event => reported.push(event) },
    })
    const response = await fetch(`${url}/v1/context`, { method: 'POST', body: JSON.stringify(GOOD) })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()), reported }
  }

  test('keep their code, message and details', async () => {
    const error = new StowageError('collection_not_found', 'no collection', { details: { status: 404 } })
    const { status, body, reported } = await failingWith(error)
    expect(status).toBe(404)
    expect(body).toEqual({
      error: { code: 'collection_not_found', message: 'no collection', details: { status: 404 } },
    })
    expect(reported).toEqual([])
  })

  test('say when to come back', async () => {
    const { headers } = await failingWith(
      new StowageError('too_many_requests', 'slow down', { details: { retry_after: 1.2 } }),
    )
    expect(headers.get('retry-after')).toBe('2')
  })

  test.each([new Error('password is hunter2'), 'hunter2', { hunter2: 1 }])(
    'that nobody foresaw show nothing, and are reported: %s',
    async error => {
      const { status, body, reported } = await failingWith(error)
      expect(status).toBe(500)
      expect(JSON.stringify(body)).not.toContain('hunter2')
      expect(body.error.code).toBe('internal')
      const [event] = reported as [{ error: unknown; requestId: string }]
      expect(event.error).toBe(error)
      expect(body.error.message).toContain(event.requestId)
    },
  )
})
