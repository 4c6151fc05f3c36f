import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ImproveDependencies } from '../../src/drop-in/route.ts'
import { OWN_VIA } from '../../src/http/passthrough/via.ts'
import type { ChoosePoints } from '../../src/pipeline/services.ts'
import { comparable, exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { createRecordingServer, type Recorded } from '../support/recording-server.ts'
import { createStage } from '../support/stage.ts'
import { chosen, serveImproving } from './support/improving.ts'
import { createScriptedQdrant, listsAnswer, ORIGINAL, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const BODY = '{"query":[0.1],"limit":3}'
/** Fields that an ingress in front of Qdrant may read. */
const OF_THE_CLIENT = {
  'api-key': 'k',
  'x-region': 'eu',
  cookie: 'session=1',
  origin: 'https://app.example',
  'cf-access-client-id': 'a.access',
  'x-place': 'Z\xfcrich',
}
const OF_ONE_REQUEST = {
  'content-language': 'en',
  digest: 'sha-256=x',
  'if-none-match': '"1"',
  range: 'bytes=0-1',
  'idempotency-key': 'one',
  'x-stowage-session': 's',
  'x-stowage-query': 'What%20does%20Axial%20sign%3F',
  'x-hop': 'only to stowage',
}

function bytesOf(headers: Record<string, string>): string {
  const fields = { host: 'h', 'content-type': 'application/json', 'content-length': String(BODY.length), ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return ['POST /collections/docs/points/query HTTP/1.1', 'connection: close, x-hop', ...lines, '', BODY].join('\r\n')
}

const named = ['axial', 'borealis', 'cobalt'].map((source, at) =>
  pointText(
    `${at + 1}`,
    '0.5',
    JSON.stringify({ text: `Copy ${at}.`, metadata: { source: `/nda/${source}.txt` }, doc_id: source, order_index: 3 }),
  ),
)

const choosePoints: ChoosePoints = async ({ lists, fetchNeighbours }) => {
  const hits = lists.flatMap(({ hits }) => hits)
  await fetchNeighbours?.(hits.slice(0, 1).map(({ chunk: { docId } }) => ({ docId, orderIndex: 4 })))
  return chosen(hits)
}

/** stowage before a Qdrant that answers every search with the same points, and before that says `first` to the first request. */
async function serveBefore(
  answerHeaders: (request: Recorded) => Record<string, string>,
  { refusesFirst = false, ...overrides }: Partial<ImproveDependencies> & { refusesFirst?: boolean } = {},
) {
  const { server, requests } = createRecordingServer((request, count) => {
    if (refusesFirst && count === 1) return { status: 400, body: '{"status":{"error":"strict mode"}}' }
    const body = request.path.endsWith('/batch')
      ? listsAnswer(named)
      : '{"result":{"points":[]},"status":"ok","time":0}'
    return { body, headers: { 'content-type': 'application/json', ...answerHeaders(request) } }
  })
  const { url } = await serveImproving(stage, await stage.listen(server), { choosePoints, ...overrides })
  const ask = async (headers: Record<string, string>) =>
    readAnswer(await exchangeBytes(url, [bytesOf(headers)]), 'POST')
  return { ask, requests }
}

describe('the headers of a client', () => {
  it('go with every read that improves its search, except those of its connection, its body and its conditions', async () => {
    const { ask, requests } = await serveBefore(() => ({}), {
      refusesFirst: true,
      documentFilter: async () => ({ key: 'metadata.source', types: ['string'] }),
    })
    const answer = await ask({ ...OF_THE_CLIENT, ...OF_ONE_REQUEST })
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    // The deep search, the one with less depth, the one of the named documents, and the neighbours.
    const search = '/collections/docs/points/query'
    expect(requests.map(({ path }) => path)).toEqual([`${search}/batch`, `${search}/batch`, `${search}/batch`, search])
    for (const { headers, body } of requests) {
      const { host: _, connection: __, ...seen } = headers
      expect(seen).toEqual({
        ...OF_THE_CLIENT,
        via: OWN_VIA[1],
        'content-type': 'application/json',
        'content-length': String(body.length),
        'accept-encoding': 'identity',
      })
    }
  })

  it('get a browser the CORS headers of Qdrant on an improved answer', async () => {
    const { ask } = await serveBefore(({ headers: { origin } }) => ({
      ...(origin !== undefined && { 'access-control-allow-origin': origin, vary: 'origin' }),
    }))
    const answer = await ask(OF_THE_CLIENT)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-stowage-applied': 'fuse,pack',
      'access-control-allow-origin': OF_THE_CLIENT.origin,
      vary: 'origin',
    })
  })
})

describe('the headers of Qdrant', () => {
  it.each([
    ['Latin-1', Buffer.from('Z\xfcrich', 'latin1')],
    ['UTF-8', Buffer.from('Zürich — 東京')],
    ['neither', Buffer.from([0x80, 0xff, 0xc3])],
  ])('arrive byte for byte on an improved answer: %s', async (_coding, value) => {
    const odd = value.toString('latin1')
    const answering = (text: string) => (response: ServerResponse) => {
      const fields = ['X-Site', odd, 'X-site', 'again']
      // Behind its length, Node would read Content-Disposition as UTF-8.
      response.writeHead(200, [...fields, 'content-type', 'application/json', 'content-length', String(text.length)])
      // Node would send the head in UTF-8 together with a string.
      response.end(Buffer.from(text))
    }
    const lists = listsAnswer([pointText('1', '0.5')])
    const qdrant = createScriptedQdrant({ lists: answering(lists), direct: answering(lists) })
    const upstream = await stage.listen(qdrant.server)
    const { url } = await serveImproving(stage, upstream)
    const ask = async (to: string) => comparable(readAnswer(await exchangeBytes(to, [bytesOf({})]), 'POST'))
    const [direct, improved] = [await ask(upstream), await ask(url)]
    expect(Object.fromEntries(improved.headers)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    const kept = ({ headers }: typeof direct) =>
      headers
        .filter(([name]) => !/^(?:x-stowage-.*|content-length)$/.test(name))
        .map(([name, value]) => [name.toLowerCase(), value])
    expect(kept(improved)).toEqual(kept(direct))
  })
})

it('an improved answer that cannot be sent is replaced by the original one', async () => {
  const { server } = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')]) })
  const { url, events } = await serveImproving(stage, await stage.listen(server), {
    choosePoints: async ({ lists }) => ({ ...chosen(lists.flatMap(({ hits }) => hits)), traceId: 'no header: \u2713' }),
  })
  const answer = readAnswer(await exchangeBytes(url, [bytesOf({})]), 'POST')
  expect(answer.body.toString()).toBe(ORIGINAL)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-stowage-applied': 'passthrough',
    'x-stowage-degraded': 'pipeline_failed',
  })
  expect(events).toMatchObject([{ reason: 'pipeline_failed' }])
})
