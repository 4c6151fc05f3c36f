import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Engine } from './engine.ts'
import { EngineError } from './errors.ts'
import { route } from './routes.ts'
import { FolderStore } from './storage/folder-store.ts'
import { readBody, sendText } from './wire/http-body.ts'
import { parseJson, printJson } from './wire/json.ts'

/** The Qdrant version this engine answers as: what the official clients 1.17 to 1.19 take without a warning. */
const QDRANT_VERSION = '1.18.0'

/** A running embedded engine. `url` has no trailing slash. */
export interface EmbeddedServer {
  url: string
  port: number
  /** Finishes the requests in flight, then writes the last state to its folder. */
  close(): Promise<void>
}

export interface EmbeddedServerOptions {
  /** Folder that holds the data between runs; memory only when absent. */
  path?: string
}

/**
 * Starts the engine behind Qdrant's REST API, on a free port of the loopback address.
 * @throws Error when the folder is in use by another process or damaged.
 */
export async function startEmbeddedServer({ path }: EmbeddedServerOptions = {}): Promise<EmbeddedServer> {
  const store = path === undefined ? undefined : new FolderStore(path)
  const engine = store?.engine ?? new Engine()
  const server = createServer((request, response) => void answer(engine, server, request, response))
  server.keepAliveTimeout = 30_000
  server.headersTimeout = 60_000
  server.requestTimeout = 0
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    store?.close()
    throw error
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      await closeServer(server)
      store?.close()
    },
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

async function answer(
  engine: Engine,
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const started = performance.now()
  const send = (status: number, type: string, text: string) => {
    // A client's keep-alive would otherwise hold a closing server open.
    response.shouldKeepAlive &&= server.listening
    return sendText(request, response, status, type, text)
  }
  const sendEnvelope = (status: number, members: object) =>
    send(status, 'application/json', printJson({ ...members, time: (performance.now() - started) / 1000 }))
  try {
    const url = new URL(request.url ?? '/', 'http://embedded')
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
    const body = await readBody(request)
    const plain = method === 'GET' ? PLAIN_ANSWERS[url.pathname] : undefined
    if (plain !== undefined) return await send(200, ...plain)
    const segments = url.pathname
      .split('/')
      .filter(segment => segment !== '')
      .map(decodeURIComponent)
    const parsed = body.trim() === '' ? undefined : parseJson(body)
    const result = route(engine, { method, segments, search: url.searchParams, body: parsed })
    if (result === undefined) return await send(404, 'text/plain', '')
    await sendEnvelope(200, { result, status: 'ok' })
  } catch (error) {
    if (response.headersSent || response.destroyed) return
    const { status, message } = describeFailure(error)
    await sendEnvelope(status, { status: { error: message } }).catch(() => response.destroy())
  }
}

/** Answers outside Qdrant's envelope, by path: type and text. */
const PLAIN_ANSWERS: { readonly [path: string]: readonly [type: string, text: string] } = {
  '/': ['application/json', JSON.stringify({ title: 'qdrant - vector search engine', version: QDRANT_VERSION })],
  '/healthz': ['text/plain; charset=utf-8', 'healthz check passed'],
  '/livez': ['text/plain; charset=utf-8', 'livez check passed'],
  '/readyz': ['text/plain; charset=utf-8', 'all shards are ready'],
}

function describeFailure(error: unknown): { status: number; message: string } {
  if (error instanceof EngineError) return { status: error.status, message: error.message }
  if (error instanceof URIError || (error as NodeJS.ErrnoException).code === 'ERR_INVALID_URL') {
    return { status: 400, message: 'Bad request: malformed path' }
  }
  return { status: 500, message: 'Service internal error: the embedded engine failed on this request' }
}
