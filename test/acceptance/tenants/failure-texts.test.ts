import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Recorded, type Reply, startRecordingServer } from '../../support/recording-server.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'

/** What Qdrant may write of others into the text of a failure. */
const TEXT = 'point 105 of beta in the collection behind docs'

interface Failing {
  /** Of the method, the path and the body. */
  requests: RegExp
  status: number
}

let failing: Failing = { requests: /^$/u, status: 500 }
let qdrant: Awaited<ReturnType<typeof startRecordingServer>>
let file: Awaited<ReturnType<typeof openTenantsFile>>
let stowage: Stowage

function answer({ method, path, body }: Recorded): Reply {
  const json = (status: number, value: object) => ({
    ...{ status, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } },
  })
  if (failing.requests.test(`${method} ${path} ${body}`))
    return json(failing.status, { status: { error: TEXT }, time: 0 })
  const points = [1, 5].map(id => ({
    ...{ id, version: 0, score: 1 },
    payload: { tenant: 'acme', text: 'A passage about keels.', doc_id: 'd', order_index: id },
  }))
  const config = { params: { vectors: { size: 2, distance: 'Dot' } } }
  const info = { status: 'green', points_count: 2, config, payload_schema: {}, aliases: [], collections: [] }
  const result = method === 'GET' ? info : path.endsWith('/batch') ? [{ points }] : { points, count: 2 }
  return json(200, { result, status: 'ok', time: 0 })
}

beforeAll(async () => {
  qdrant = await startRecordingServer(answer)
  file = await openTenantsFile(declareTenants({ acme: { allow: ['get_collections', 'get_collection'] } }))
  stowage = await openStowage({ QDRANT_URL: qdrant.url, TENANTS_FILE: file.path, UI: 'on', MCP: 'on' })
})
afterAll(async () => {
  await stowage.close()
  await qdrant.close()
  await file.remove()
})

const tool = (name: string, more: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: { collection: 'docs', ...more } },
})
const question = { query: 'keels', vector: [1, 0], trace: true }

const REQUESTS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/v1/context', { ...question, collection: 'docs' }],
  ['POST', '/v1/context', { ...question, collection: ['docs', 'more'] }],
  ['POST', '/v1/ui/compare', { query: 'keels', collection: 'docs' }],
  ['POST', '/v1/ui/passages', { points: [{ collection: 'docs', id: 5 }] }],
  ['POST', '/mcp', tool('get_contextual_retrieval_stats')],
  ['POST', '/mcp', tool('search_with_contextual_retrieval', { query: 'keels' })],
  ['POST', '/collections/docs/points/query', { query: [1, 0], with_payload: true }],
  ['POST', '/collections/docs/points/query', { query: 5 }],
  ['POST', '/collections/docs/points/scroll', {}],
  ['GET', '/collections/docs/points/5'],
  ['GET', '/collections/docs'],
  ['GET', '/collections'],
  ['PUT', '/collections/docs/points?wait=true', { points: [{ id: 1, vector: [1, 0] }] }],
]

describe.each([401, 403, 500, 501, 503, 307])('the text of an answer with %i', status => {
  it.each([
    ['of everything', /^/u],
    ['of the collection', /^GET \/collections\/docs /u],
    ['of batches', /points\/query\/batch/u],
    ['of single searches', /points\/query /u],
    ['of scrolls', /scroll/u],
  ])('%s is shown to no tenant', async (_name, requests) => {
    failing = { requests, status }
    const before = qdrant.requests.length
    for (const [method, path, body] of REQUESTS) {
      const headers = {
        'api-key': 'acme',
        'x-stowage-query': 'keels of oak',
        accept: 'application/json, text/event-stream',
      }
      expect((await stowage.send(method, path, body, headers)).text).not.toContain(TEXT)
    }
    const asked = qdrant.requests.slice(before)
    expect(asked.some(({ method, path, body }) => requests.test(`${method} ${path} ${body}`))).toBe(true)
  })
})
