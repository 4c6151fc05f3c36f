import type http from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { ImproveDependencies } from '../../src/drop-in/route.ts'
import { OWN_VIA } from '../../src/http/passthrough/via.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { deferred } from '../support/deferred.ts'
import { comparable, exchangeBytes, readAnswer } from '../support/raw-client.ts'
import type { Recorded } from '../support/recording-server.ts'
import { createStage } from '../support/stage.ts'
import { choosing, chosen, serveImproving } from './support/improving.ts'
import { createScriptedQdrant, listsAnswer, pointText, type ScriptedAnswer } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const QUERY = '{"query": [0.1, 5.0], "limit": 2, "filter": {"must": [{"has_id": [18446744073709551615]}]}}'
const ONE = listsAnswer([pointText('1', '0.5')])

interface Sent {
  body?: string | Buffer
  target?: string
  headers?: string[]
  chunked?: boolean
}

/** A client's request as bytes. It asks for compression, which tells the scripted Qdrant that it is not the improver's own. */
function bytesOf({
  body = QUERY,
  target = '/collections/docs/points/query',
  headers = ['Content-Type: application/json'],
  chunked = false,
}: Sent) {
  const bytes = Buffer.from(body)
  const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`
  const head = [`POST ${target} HTTP/1.1`, 'Host: h', 'Accept-Encoding: gzip', 'Connection: close', framing, ...headers]
  const parts: (string | Buffer)[] = [`${head.join('\r\n')}\r\n\r\n`]
  if (chunked) parts.push(`${bytes.length.toString(16)}\r\n`, bytes, '\r\n0\r\n\r\n')
  else parts.push(bytes)
  return parts
}

const ask = async (url: string, sent: Sent) => readAnswer(await exchangeBytes(url, bytesOf(sent)), 'POST')

/** Asks through stowage and directly: the same bytes but for our headers. Gives the degraded code. */
async function expectOriginal(
  script: ScriptedAnswer | undefined,
  sent: Sent,
  overrides: Partial<ImproveDependencies> = {},
  direct?: ScriptedAnswer,
) {
  const qdrant = createScriptedQdrant({
    ...(script === undefined ? {} : { lists: script }),
    ...(direct === undefined ? {} : { direct }),
  })
  const upstream = await stage.listen(qdrant.server)
  const { url, events } = await serveImproving(stage, upstream, overrides)
  const expected = comparable(await ask(upstream, sent))
  const { headers, ...actual } = comparable(await ask(url, sent))
  const ours = headers.filter(([name]) => name.startsWith('x-stowage-'))
  expect({ headers: headers.filter(header => !ours.includes(header)), ...actual }).toEqual(expected)
  // What Qdrant saw of both is the same request.
  const [first, second] = qdrant.untouched
  expect(withoutConnection(second)).toEqual(withoutConnection(first))
  return { ours: Object.fromEntries(ours), events, qdrant }
}

/** What a connection of its own makes different. */
function withoutConnection(seen: Recorded | undefined) {
  const { host, connection, via, ...headers } = seen?.headers ?? {}
  return { ...seen, headers }
}

const passedWith = (code: string) => ({ 'x-stowage-applied': 'passthrough', 'x-stowage-degraded': code })

const status = (code: number, body: string) => (response: http.ServerResponse) =>
  void response.writeHead(code, { 'content-type': 'application/json' }).end(body)

describe('the original request is sent when Qdrant', () => {
  const broken = (text: string) => (response: http.ServerResponse) => {
    response.writeHead(200, { 'content-length': 1_000 })
    response.write(text, () => response.destroy())
  }
  it.each<[string, string, ScriptedAnswer]>([
    ['refuses (400)', 'upstream_refused', status(400, '{"status":{"error":"strict mode"},"time":0.0}')],
    ['does not know the route (404)', 'upstream_refused', status(404, '')],
    ['fails (500)', 'upstream_refused', status(500, 'oops')],
    ['redirects (302)', 'upstream_refused', status(302, '')],
    ['is busy (429)', 'upstream_refused', status(429, '{}')],
    ['answers another 2xx (202)', 'upstream_refused', status(202, ONE)],
    ['breaks off in the head', 'upstream_unreachable', response => void response.destroy()],
    ['breaks off in the body', 'upstream_unreachable', broken(ONE.slice(0, 20))],
    ['answers no JSON', 'upstream_malformed', 'hello'],
    ['answers half of it', 'upstream_malformed', ONE.slice(0, -10)],
    [
      'answers gzip unasked',
      'upstream_malformed',
      response => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(ONE)),
    ],
    ['answers another shape', 'upstream_malformed', '{"result":[[]],"status":"ok"}'],
    ['answers fewer lists', 'upstream_malformed', listsAnswer()],
    ['answers a point without a score', 'upstream_malformed', listsAnswer(['{"id":1,"version":1}'])],
    ['answers a score that is null', 'upstream_malformed', listsAnswer([pointText('1', 'null')])],
    ['answers an id that is none', 'upstream_malformed', listsAnswer([pointText('1.5', '0.5')])],
    ['answers a doubled key', 'upstream_malformed', listsAnswer([pointText('1', '0.5', '{}', ',"id":2')])],
  ])('%s', async (_name, code, script) => {
    const { ours, events } = await expectOriginal(script, {})
    expect(ours).toEqual(passedWith(code))
    expect(events).toMatchObject([{ reason: code, degraded: [code] }])
  })

  it('answers more than 64 MiB', async () => {
    const script: ScriptedAnswer = response => void response.end(Buffer.alloc(65 * 1024 * 1024, ' '))
    // Without a timeout of its own, a client gives improving 2.5 s, which a busy machine does not keep.
    const sent = { target: '/collections/docs/points/query?timeout=120' }
    const { ours } = await expectOriginal(script, sent, { deadlineMs: 60_000, hedgeMs: 60_000 })
    expect(ours).toEqual(passedWith('upstream_too_large'))
  })

  it('is late', async () => {
    const { ours } = await expectOriginal(() => {}, {}, { deadlineMs: 60 })
    expect(ours).toEqual(passedWith('deadline'))
  })

  it('stops in the middle of its answer', async () => {
    const script: ScriptedAnswer = response => void response.writeHead(200).write(ONE.slice(0, 30))
    const { ours } = await expectOriginal(script, {}, { deadlineMs: 60 })
    expect(ours).toEqual(passedWith('deadline'))
  })

  it.each([400, 401, 404, 422, 500, 503])('would answer %d itself', async code => {
    const refusal = (response: http.ServerResponse) =>
      void response.writeHead(code, 'Odd Reason', { 'content-type': 'text/plain', 'x-cause': 'c' }).end(`no: ${code}`)
    const { ours } = await expectOriginal(refusal, {}, {}, refusal)
    expect(ours).toEqual(passedWith('upstream_refused'))
  })

  it('would answer compressed', async () => {
    const compressed: ScriptedAnswer = response =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a": 5.0}'))
    const { ours } = await expectOriginal(status(500, ''), {}, {}, compressed)
    expect(ours).toEqual(passedWith('upstream_refused'))
  })
})

describe('the original request is sent when the pipeline', () => {
  it.each<[string, string, Partial<ImproveDependencies>]>([
    ['throws', 'pipeline_failed', { choosePoints: () => Promise.reject(new Error('a secret')) }],
    [
      'throws at once',
      'pipeline_failed',
      {
        choosePoints: () => {
          throw new Error('a secret')
        },
      },
    ],
    ['never ends', 'deadline', { choosePoints: () => new Promise(() => {}), deadlineMs: 60 }],
    [
      'gives up at its deadline',
      'deadline',
      {
        choosePoints: (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        deadlineMs: 60,
      },
    ],
    ['chooses nothing', 'nothing_chosen', { choosePoints: choosing(() => []) }],
    [
      'chooses only what is not there',
      'nothing_chosen',
      { choosePoints: choosing(hits => hits.map(hit => ({ chunk: { ...hit.chunk, id: 77 } }))) },
    ],
  ])('%s', async (_name, code, overrides) => {
    const { ours } = await expectOriginal(ONE, {}, overrides)
    expect(ours).toEqual(passedWith(code))
  })

  it('is told to stop before the whole time is up, so that half a reranking still counts', async () => {
    const qdrant = createScriptedQdrant({ lists: ONE })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      deadlineMs: 2_000,
      choosePoints: ({ lists }, { signal }) =>
        new Promise(resolve =>
          signal.addEventListener('abort', () => resolve(chosen(lists.flatMap(({ hits }) => hits)))),
        ),
    })
    const response = await fetch(`${url}/collections/docs/points/query`, {
      method: 'POST',
      body: QUERY,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.headers.get('x-stowage-applied')).toBe('fuse,pack')
  })

  it('would not be done within half of ?timeout=', async () => {
    const slow: Partial<ImproveDependencies> = { choosePoints: () => new Promise(() => {}), deadlineMs: 600_000 }
    const { ours } = await expectOriginal(ONE, { target: '/collections/docs/points/query?timeout=0.1' }, slow)
    expect(ours).toEqual(passedWith('deadline'))
  })
})

describe('the original request is sent when it', () => {
  const batch = { target: '/collections/docs/points/query/batch' }
  it.each<[string, string, Sent]>([
    ['is not understood', 'query_not_understood', { body: '{"query":{"recommend":{"positive":[1]}}}' }],
    ['is no object', 'query_not_understood', { body: '[]' }],
    ['is broken', 'query_not_understood', { body: '{"query":[0.1' }],
    ['is empty', 'query_not_understood', { body: '' }],
    ['is partly not understood', 'query_not_understood', { ...batch, body: `{"searches":[${QUERY},{"query":5}]}` }],
    [
      'is compressed',
      'body_not_json',
      { body: gzipSync(QUERY), headers: ['Content-Type: application/json', 'Content-Encoding: gzip'] },
    ],
    ['says it is something else', 'body_not_json', { headers: ['Content-Type: text/plain'] }],
    ['does not say that it is JSON', 'body_not_json', { headers: [] }],
    ['is in another charset', 'body_not_json', { headers: ['Content-Type: application/json; charset=latin1'] }],
    ['is no UTF-8', 'body_not_json', { body: Buffer.from('{"query":[0.1],"filter":{"must":"\xe9"}}', 'latin1') }],
    ['is longer than the buffer', 'body_too_large', { body: `${QUERY}${' '.repeat(200_000)}` }],
    ['turns out to be longer', 'body_too_large', { body: `${QUERY}${' '.repeat(200_000)}`, chunked: true }],
  ])('%s', async (_name, code, sent) => {
    const { ours, events, qdrant } = await expectOriginal(undefined, sent)
    expect(ours).toEqual(passedWith(code))
    expect(events).toMatchObject([{ reason: code }])
    expect(qdrant.improver).toEqual([])
  })

  it('comes while the flag is off: not read, nothing added', async () => {
    const sent = { body: `${QUERY}${' '.repeat(200_000)}`, chunked: true }
    const { ours, events } = await expectOriginal(undefined, sent, {
      decide: subject => ({ ...decideByConfiguration(NAMED_PLANS.measured)(subject), improves: false }),
    })
    expect(ours).toEqual({})
    expect(events).toEqual([])
  })

  it('is understood in spite of chunks, a slash at the end and a charset', async () => {
    const qdrant = createScriptedQdrant({ lists: ONE })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    const sent = {
      chunked: true,
      target: '/collections/docs/points/query/',
      headers: ['Content-Type: Application/JSON;charset=UTF-8'],
    }
    const { headers } = await ask(url, sent)
    expect(Object.fromEntries(headers)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
  })
})

describe('beyond a single answer', () => {
  it('a request that comes back through Via is not improved again but refused', async () => {
    const qdrant = createScriptedQdrant({})
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    const answer = await ask(url, { headers: ['Content-Type: application/json', `Via: 1.0 a, ${OWN_VIA[1]}`] })
    expect(answer.statusLine).toBe('HTTP/1.1 502 Bad Gateway')
    expect([qdrant.improver, qdrant.untouched]).toEqual([[], []])
  })

  it('an upstream that is down gives the passthrough’s own error', async () => {
    const { url } = await serveImproving(stage, 'http://127.0.0.1:9')
    const answer = await ask(url, {})
    expect(answer.statusLine).toContain(' 503 ')
    expect(JSON.parse(answer.body.toString())).toMatchObject({ status: { error: expect.any(String) } })
  })

  it('a client that prefetches ends the search upstream, and nothing is sent again', async () => {
    const reached = deferred<void>()
    const closed = deferred<void>()
    const qdrant = createScriptedQdrant({
      lists: response => {
        response.once('close', () => closed.resolve())
        reached.resolve()
      },
    })
    const { url, events } = await serveImproving(stage, await stage.listen(qdrant.server), { deadlineMs: 60_000 })
    const leaving = new AbortController()
    const asked = fetch(`${url}/collections/docs/points/query?timeout=600`, {
      method: 'POST',
      body: QUERY,
      headers: { 'content-type': 'application/json' },
      signal: leaving.signal,
    })
    await reached.promise
    leaving.abort()
    await expect(asked).rejects.toThrow('aborted')
    await closed.promise
    // A later request is the only one that arrives: had the search been sent again, it would have come first.
    await fetch(`${url}/collections`)
    expect(qdrant.untouched.map(({ path }) => path)).toEqual(['/collections'])
    expect(events).toEqual([])
  })
})
