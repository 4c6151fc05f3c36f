import { loadConfig } from '../../src/config.ts'
import { startServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import type { ContextResponse } from '../../src/pipeline/context-request.ts'
import { openGateway } from '../../src/wiring/gateway.ts'

/** An answer as it came: `text` keeps what `JSON.parse` loses. */
export interface Answer<Body> {
  status: number
  headers: Headers
  text: string
  json: Body
}

export interface ErrorBody {
  error: { code: string; message: string; details?: { field: string }[] }
}

/** A point as the tests write it; `id` may be the digits of a u64. */
export interface TestPoint {
  id: number | string
  payload: Record<string, unknown>
  dense?: number[]
}

export type Stowage = Awaited<ReturnType<typeof openStowage>>

/** The service as `serve` runs it, on a free port, without models: on its own embedded engine unless `QDRANT_URL` is given. */
export async function openStowage(environment: Record<string, string> = {}) {
  const fixed = { EMBEDDER: 'none', RERANKER: 'off', LOG_LEVEL: 'silent', REQUEST_DEADLINE_MS: '60000' }
  const gateway = await openGateway(loadConfig({ ...fixed, ...environment }), createLogger({ level: 'silent' }))
  const server = await startServer(gateway.app, { port: 0, host: '127.0.0.1' })
  const send = (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
    sendTo(server.url, method, path, body, headers)
  return {
    url: server.url,
    send,
    /** `POST /v1/context`; anything but text is printed as JSON. */
    ask: (body: object | string | Buffer, headers: Record<string, string> = {}) =>
      send(
        'POST',
        '/v1/context',
        typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        headers,
      ) as Promise<Answer<ContextResponse & ErrorBody>>,
    close: async () => {
      await server.close(0)
      await gateway.close()
    },
  }
}

export async function sendTo(
  url: string,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer<unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

/** Makes a collection as `ingest` would and fills it, both through the given server. */
export async function fill(url: string, collection: string, points: readonly TestPoint[], dimensions = 4) {
  const path = `/collections/${collection}`
  const schema = {
    vectors: { dense: { size: dimensions, distance: 'Cosine' } },
    sparse_vectors: { sparse: { modifier: 'idf' } },
  }
  await succeed(sendTo(url, 'PUT', path, JSON.stringify(schema)))
  if (points.length > 0) await upsert(url, collection, points)
}

export async function upsert(url: string, collection: string, points: readonly TestPoint[]) {
  await succeed(sendTo(url, 'PUT', `/collections/${collection}/points?wait=true`, `{"points":[${points.map(print)}]}`))
}

/** A chunk of a document with the payload that `ingest` writes. */
export function chunk(id: number | string, text: string, more: Record<string, unknown> = {}): TestPoint {
  const place = { doc_id: `doc-${id}`, doc_title: `Document ${id}`, section_path: 'Section', order_index: 0 }
  return { id, payload: { ...place, text, ...more } }
}

function print({ id, payload, dense }: TestPoint): string {
  const sparse = { text: String(payload.text ?? ''), model: 'qdrant/bm25' }
  const vector = JSON.stringify({ ...(dense ? { dense } : {}), sparse })
  // UUIDs are quoted, the digits of a u64 are not.
  const spelled = /^\d+$/.test(String(id)) ? id : JSON.stringify(id)
  return `{"id":${spelled},"vector":${vector},"payload":${JSON.stringify(payload)}}`
}

async function succeed(answer: Promise<Answer<unknown>>): Promise<void> {
  const { status, text } = await answer
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 500)}`)
}
