import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { comparable, exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { assortedRequests } from '../support/assorted-requests.ts'

const stage = createStage()
let engines: EmbeddedServer[]
let direct: string
let proxied: string

beforeAll(async () => {
  // Two engines, because the requests write: each sees the whole story once.
  engines = await Promise.all([startEmbeddedServer(), startEmbeddedServer()])
  const [first, second] = engines
  if (first === undefined || second === undefined) throw new Error('two engines were started')
  direct = first.url
  proxied = (await stage.serveBefore(second.url)).url
})
afterAll(async () => {
  await stage.close()
  await Promise.all(engines.map(engine => engine.close()))
})

const points = Array.from({ length: 40 }, (_, i) => ({
  id: i === 7 ? '0b1f2a9c-3d4e-4f50-8a6b-7c8d9e0f1a2b' : i,
  vector: { dense: [Math.cos(i), Math.sin(i)], words: { indices: [i % 5, 10 + (i % 3)], values: [1, 0.5] } },
  payload: { text: `passage ${i} — תשובה`, lang: i % 2 === 0 ? 'en' : 'he', n: i },
}))
const dense = { query: [1, 0.25], using: 'dense' }
const words = { query: { indices: [1, 11], values: [1, 1] }, using: 'words' }
const english = { must: [{ key: 'lang', match: { value: 'en' } }] }

type Step = [line: string, body?: unknown, headers?: string]
const STORY: Step[] = [
  ['GET /'],
  ['GET /collections'],
  ['GET /collections/docs'],
  [
    'PUT /collections/docs',
    { vectors: { dense: { size: 2, distance: 'Cosine' } }, sparse_vectors: { words: { modifier: 'idf' } } },
  ],
  ['PUT /collections/docs', { vectors: { size: 2, distance: 'Dot' } }],
  ['PUT /collections/a%20b%2Fc', { vectors: { size: 2, distance: 'Dot' } }],
  ['GET /collections/docs/exists'],
  ['PUT /collections/docs/points?wait=true', { points }],
  [
    'PUT /collections/docs/points?wait=true',
    '{"points":[{"id":18446744073709551615,"vector":{"dense":[5.0,1]},"payload":{"text":"last","x":5.0}}]}',
  ],
  ['PUT /collections/docs/points', { points: [{ id: 1, vector: { dense: [1, 2, 3] } }] }],
  ['PUT /collections/docs/points', '{"points":[{"id":1,'],
  ['PUT /collections/docs/index', { field_name: 'lang', field_schema: 'keyword' }],
  ['POST /collections/docs/points', { ids: [1, 2, 99], with_payload: true, with_vector: true }],
  ['POST /collections/docs/points', '{"ids":[18446744073709551615]}'],
  ['GET /collections/docs/points/3'],
  ['GET /collections/docs/points/12345'],
  ['GET /collections/docs/points/0b1f2a9c-3d4e-4f50-8a6b-7c8d9e0f1a2b'],
  ['POST /collections/docs/points/scroll', { limit: 5, with_payload: true, with_vector: false }],
  ['POST /collections/docs/points/scroll/', { limit: 3, filter: english, offset: 9 }],
  ['POST /collections/docs/points/count', { exact: true, filter: english }],
  ['POST /collections/docs/points/query', { ...dense, limit: 5, with_payload: true }],
  ['POST /collections/docs/points/query', { ...words, limit: 5, filter: english }],
  [
    'POST /collections/docs/points/query?timeout=5',
    { prefetch: [dense, words], query: { rrf: { k: 61 } }, limit: 4, with_payload: ['text'] },
  ],
  ['POST /collections/docs/points/query', { prefetch: [dense, words], query: { fusion: 'dbsf' }, limit: 4 }],
  ['POST /collections/docs/points/query', { query: 3, using: 'dense', limit: 3, with_vector: ['dense'] }],
  [
    'POST /collections/docs/points/query/batch',
    {
      searches: [
        { ...dense, limit: 2 },
        { ...words, limit: 2 },
      ],
    },
  ],
  ['POST /collections/docs/points/search', { vector: { name: 'dense', vector: [0, 1] }, limit: 3 }],
  ['POST /collections/docs/points/query', { query: [1], using: 'dense' }],
  ['POST /collections/docs/points/query', { query: [1, 2], using: 'none' }],
  ['POST /collections/docs/points/query', { ...dense, limit: 0 }],
  ['POST /collections/docs/points/query', { ...dense, filter: { wrong: [] } }],
  ['POST /collections/docs/points/query', ''],
  ['POST /collections/docs/points/query', '[]'],
  ['POST /collections/none/points/query', dense],
  ['POST /collections/docs/points/query/groups', { ...dense, group_by: 'lang' }],
  ['POST /collections/docs/points/query', gzipSync(JSON.stringify({ ...dense, limit: 2 })), 'Content-Encoding: gzip'],
  ['POST /collections/docs/points/query', { ...dense, limit: 20, with_payload: true }, 'Accept-Encoding: gzip'],
  ['POST /collections/docs/points/payload', { payload: { seen: true }, points: [1, 2] }],
  ['POST /collections/docs/points/delete?wait=true', { points: [1] }],
  ['POST /collections/docs/points/count', {}],
  ['HEAD /collections/docs'],
  ['OPTIONS /collections/docs'],
  ['PATCH /nothing/here', {}],
  ['GET /telemetry'],
  ['GET /metrics'],
  ['GET /livez'],
  ['DELETE /collections/docs'],
  ['DELETE /collections/docs'],
  ['GET /collections'],
]

test('a story told to the embedded engine through stowage is answered as it is directly', async () => {
  for (const [line, body, headers] of STORY) {
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body))
    const framing = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${bytes.length}`]
    const head = [`${line} HTTP/1.1`, 'Host: x', ...framing, ...(headers ? [headers] : []), 'Connection: close', '', '']
    const tell = async (url: string) =>
      withoutTime(readAnswer(await exchangeBytes(url, [head.join('\r\n'), bytes]), line.split(' ')[0] ?? ''))
    expect({ line, ...(await tell(proxied)) }).toEqual({ line, ...(await tell(direct)) })
  }
})

test('200 assorted requests to the embedded engine get the answer that a direct call gets', async () => {
  for (const { name, method, parts } of assortedRequests(200)) {
    // Node's server, unlike Qdrant, insists on a Host when it is asked directly; through stowage it always gets one.
    if (String(parts[0]).includes('HTTP/1.1\r\n') && !String(parts[0]).includes('Host:')) continue
    const send = async (url: string) => withoutTime(readAnswer(await exchangeBytes(url, parts), method))
    expect({ name, ...(await send(proxied)) }).toEqual({ name, ...(await send(direct)) })
  }
})

/** The time that a request took differs from call to call, and the length of its digits with it. */
function withoutTime(answer: ReturnType<typeof readAnswer>) {
  const { headers, body, ...rest } = comparable(answer)
  const bytes = Buffer.from(body, 'base64')
  const compressed = headers.some(([name, value]) => name.toLowerCase() === 'content-encoding' && value === 'gzip')
  const text = (compressed ? gunzipSync(bytes) : bytes).toString().replace(/"time":[\d.e-]+/, '"time":0')
  return { ...rest, headers: headers.filter(([name]) => name.toLowerCase() !== 'content-length'), text }
}
