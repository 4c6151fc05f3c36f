import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, StowageClientError } from 'stowage/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contextAnswer } from '../support/context-answer.ts'
import { type JsonAnswer, type JsonServer, startJsonServer } from '../support/json-server.ts'
import { chunk, fill } from '../support/points.ts'
import { startRecordingServer } from '../support/recording-server.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

/** A server that gives these answers, one after the other. */
async function answering(...answers: JsonAnswer[]): Promise<JsonServer> {
  const server = await startJsonServer(() => answers.shift() ?? { body: contextAnswer() })
  opened.push(server)
  return server
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error as StowageClientError,
  )
const QUESTION = { query: 'Who?', collection: 'docs' }
const overloaded = (retryAfter: string): JsonAnswer => ({
  status: 503,
  headers: { 'retry-after': retryAfter },
  body: { error: { code: 'overloaded', message: 'Too many', details: { retry_after: 1 } } },
})

describe('a client of a whole stowage', () => {
  const u64 = '18446744073709551615'
  let stowage: Stowage
  beforeAll(async () => {
    stowage = await openStowage()
    await fill(stowage.url, 'docs', [chunk(1, 'The keel is the spine.'), chunk(u64, 'The keel of the other ship.')])
  })
  afterAll(() => stowage.close())

  it('packs a context and shows its trace, with ids of 64 bits in both directions', async () => {
    const client = createClient({ url: `${stowage.url}/`, apiKey: 'k' })
    const filter = { must: [{ has_id: [BigInt(u64)] }] }
    const { context, chunks, trace_id } = await client.context({ query: 'keel', collection: 'docs', filter })
    expect(context).toContain('the other ship')
    expect(chunks.map(({ id }) => id)).toEqual([BigInt(u64)])
    const trace = await client.trace(trace_id)
    expect(trace.candidates.map(({ id }) => id)).toEqual([BigInt(u64)])
    const foreign = await failureOf(createClient({ url: stowage.url, apiKey: 'other' }).trace(trace_id))
    expect(foreign).toMatchObject({ name: 'StowageClientError', status: 404, code: 'not_found' })
    expect(await failureOf(client.trace('a/b?c#\u00fc'))).toMatchObject({ details: { trace_id: 'a/b?c#\u00fc' } })
  })

  it('names the wrong fields', async () => {
    const wrong = { query: '', collection: 'docs', budget: 1 } as never
    expect(await failureOf(createClient({ url: stowage.url }).context(wrong))).toMatchObject({
      status: 400,
      code: 'bad_request',
      message: expect.stringContaining('budget'),
      details: [{ field: 'query' }, { field: 'budget', message: 'unknown key', value: '1' }],
    })
    const missing = createClient({ url: stowage.url }).context({ query: 'keel', collection: 'none' })
    expect(await failureOf(missing)).toMatchObject({ status: 404, code: 'collection_not_found' })
  })
})

describe('repetitions', () => {
  it('come after 503 with `retry-after`, twice at most', async () => {
    const server = await answering(overloaded('0'), overloaded('0'), { body: contextAnswer({ trace_id: 'third' }) })
    expect(await createClient({ url: server.url }).context(QUESTION)).toMatchObject({ trace_id: 'third' })
    const busy = await answering(overloaded('0'), overloaded('0'), overloaded('0'), overloaded('0'))
    const failure = await failureOf(createClient({ url: busy.url }).context(QUESTION))
    expect(failure).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 0, details: { retry_after: 1 } })
    expect(busy.requests).toHaveLength(3)
  })

  const body = { error: { code: 'internal', message: 'm' } }
  it.each<[string, JsonAnswer]>([
    ['503 without it', { status: 503, body }],
    ['503 with a date', overloaded('Wed, 21 Oct 2026 07:28:00 GMT')],
    ['503 with a wait beyond the time of the call', overloaded('60')],
    ['503 with nonsense', overloaded('1e999')],
    ['429', { status: 429, headers: { 'retry-after': '0' }, body }],
    ['500', { status: 500, headers: { 'retry-after': '0' }, body }],
    ['400', { status: 400, headers: { 'retry-after': '0' }, body }],
  ])('do not come after %s', async (_name, answer) => {
    const server = await answering(answer)
    const failure = await failureOf(createClient({ url: server.url, timeoutMs: 50_000 }).context(QUESTION))
    expect(failure).toBeInstanceOf(StowageClientError)
    expect(failure.message).not.toBe('')
    expect(server.requests).toHaveLength(1)
  })
})

describe('a call ends', () => {
  it.each([
    ['while it waits for an answer', 'never' as const],
    ['while it waits to come again', overloaded('30')],
  ])('with the reason of its signal, %s', async (_name, answer) => {
    const ending = new AbortController()
    const reason = new Error('the user left')
    const server = await startJsonServer(() => {
      setImmediate(() => ending.abort(reason))
      return answer
    })
    opened.push(server)
    const call = createClient({ url: server.url }).context(QUESTION, { signal: ending.signal })
    expect(await failureOf(call)).toBe(reason)
    expect(await failureOf(createClient({ url: server.url }).trace('t', { signal: ending.signal }))).toBe(reason)
    expect(server.requests).toHaveLength(1)
  })

  it('in time', async () => {
    const { url } = await answering('never')
    const failure = await failureOf(createClient({ url, timeoutMs: 1 }).context(QUESTION))
    expect(failure).toMatchObject({ code: 'timeout', status: null, message: expect.stringContaining('1 ms') })
  })

  it.each([Number.POSITIVE_INFINITY, 3e9])('with its answer, when it has %s ms', async timeoutMs => {
    const { url } = await answering(overloaded('0'), { body: contextAnswer({ trace_id: 'second' }) })
    expect(await createClient({ url, timeoutMs }).context(QUESTION)).toMatchObject({ trace_id: 'second' })
    const busy = await answering(overloaded('999999999'))
    const failure = await failureOf(createClient({ url: busy.url, timeoutMs }).context(QUESTION))
    expect(failure).toMatchObject({ code: 'overloaded', retryAfter: 999_999_999 })
  })

  it('with `no_answer` when nobody listens, and when the connection breaks', async () => {
    const { url, close } = await startRecordingServer(() => null)
    const client = createClient({ url, apiKey: 'secret-key' })
    expect(await failureOf(client.context(QUESTION))).toMatchObject({ code: 'no_answer', status: null })
    await close()
    const failure = await failureOf(client.context(QUESTION))
    expect(failure).toMatchObject({ code: 'no_answer', cause: expect.any(TypeError) })
    expect(failure.message).not.toContain('secret-key')
    const half = await startRecordingServer(() => response => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{')
      response.socket?.destroy()
    })
    opened.push(half)
    expect(await failureOf(createClient({ url: half.url }).context(QUESTION))).toMatchObject({ code: 'no_answer' })
  })

  it.each<[string, JsonAnswer, number]>([
    ['a page of a proxy', { status: 502, body: '<html>Bad gateway' }, 502],
    ['nothing', { status: 204, body: '' }, 204],
    ['a Qdrant', { body: { title: 'qdrant - vector search engine', version: '1.19.0' } }, 200],
    ['an error of Qdrant', { status: 404, body: { status: { error: 'no such path' }, time: 0 } }, 404],
    ['a list', { body: [1] }, 200],
    ['null', { status: 500, body: { error: null } }, 500],
  ])('with `unexpected_answer` for %s', async (_name, answer, status) => {
    const { url } = await answering(answer)
    const failure = await failureOf(createClient({ url }).context(QUESTION))
    expect(failure).toMatchObject({ code: 'unexpected_answer', status, details: undefined })
    expect(failure.message.length).toBeLessThan(400)
  })

  it('without taking the key to where a redirect leads', async () => {
    const other = await answering()
    const moved = await answering({ status: 307, headers: { location: other.url }, body: '' })
    expect(await failureOf(createClient({ url: moved.url, apiKey: 'k' }).context(QUESTION))).toMatchObject({
      code: 'no_answer',
    })
    expect(other.requests).toEqual([])
  })
})

it('takes a path in the URL, another fetch, and sends the key as Qdrant clients do', async () => {
  const seen: [string, RequestInit | undefined][] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push([String(input), init])
    return Response.json(contextAnswer())
  }
  await createClient({ url: 'https://host/stowage/', apiKey: 'k', fetch }).context(QUESTION)
  expect(seen).toMatchObject([
    [
      'https://host/stowage/v1/context',
      { method: 'POST', headers: { 'api-key': 'k' }, body: JSON.stringify(QUESTION) },
    ],
  ])
  expect(() => createClient({ url: 'no url' })).toThrow('"no url"')
})

it.each(['localhost:6433', 'ftp://host'])('refuses %s at once, because no server is reached by it', url => {
  expect(() => createClient({ url })).toThrow('url must begin with http:// or https://')
})

it.each([0, -5, Number.NaN])('refuses a timeout of %s ms at once', timeoutMs => {
  expect(() => createClient({ url: 'http://host', timeoutMs })).toThrow(
    /^createClient: timeoutMs must be greater than 0/u,
  )
})

it('rejects for what cannot be sent, and does not throw', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9' })
  const cycle: Record<string, unknown> = {}
  cycle.must = [cycle]
  for (const call of [() => client.trace('\ud800'), () => client.context({ ...QUESTION, filter: cycle as never })]) {
    const answer = call()
    await expect(answer).rejects.toThrow()
  }
})

it('takes a URL with white space around it, as variables have it', async () => {
  const { url, requests } = await answering()
  await createClient({ url: ` ${url}/stowage/ \n` }).context(QUESTION)
  expect(requests.map(({ path }) => path)).toEqual(['/stowage/v1/context'])
})

it.each([
  ['a key with a line break', { url: 'http://host', apiKey: 'secret\nkey' }],
  ['a key in other letters', { url: 'http://host', apiKey: 'secret ключ' }],
  ['a URL with a password', { url: 'http://user:secret@host' }],
  ['a URL with a query', { url: 'http://host?api_key=secret' }],
  ['a URL with a fragment', { url: 'http://host/dashboard#/secret' }],
])('refuses %s at once, without showing it', (_name, options) => {
  expect(() => createClient(options)).toThrow(TypeError)
  expect(() => createClient(options)).toThrow(/^createClient: (?!.*secret)/u)
})

it('stowage/client loads nothing of the server, and one small package', () => {
  const loaded = new Set<string>()
  const visit = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    const source = readFileSync(file, 'utf8')
    for (const [, target = ''] of source.matchAll(/^(?:import|export)(?! type\b)[^'"]*?from\s+'([^']+)'/gmu))
      if (target.startsWith('.')) visit(join(dirname(file), target))
      else loaded.add(target)
  }
  visit(fileURLToPath(new URL('../../src/client/index.ts', import.meta.url)))
  const names = [...loaded].map(name => name.replace(/^.*\/src\//u, ''))
  expect(names.filter(name => !name.startsWith('client/')).sort()).toEqual([
    'lossless-json',
    'node:async_hooks',
    'qdrant/json.ts',
  ])
})
