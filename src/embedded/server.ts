import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MAX_HEADER_BYTES } from '../qdrant/raw-headers.ts'
import { Engine } from './engine.ts'
import { badRequest, EngineError } from './errors.ts'
import { Pace } from './pace.ts'
import { route } from './routes.ts'
import { FolderStore, type FolderStoreOptions, reportToStderr } from './storage/folder-store.ts'
import { readBody } from './wire/http-body.ts'
import { parseJson, printInSlices } from './wire/json.ts'

/** Qdrant's official clients 1.17 to 1.19 accept this version without a warning. */
const QDRANT_VERSION = '1.18.0'

export interface EmbeddedServer {
  /** Without a trailing slash. */
  url: string
  port: number
  /** Finishes the requests in flight, then closes the folder. */
  close(): Promise<void>
}

interface EmbeddedServerOptions extends FolderStoreOptions {
  /** Folder of the data. Without it the data stays in memory. */
  path?: string
}

/**
 * Starts the engine on a free port of the loopback address.
 * @throws Error when the folder is in use by another process or damaged
 */
export async function startEmbeddedServer({
  path,
  disk,
  report = reportToStderr,
}: EmbeddedServerOptions = {}): Promise<EmbeddedServer> {
  const store = path === undefined ? undefined : await FolderStore.open(path, { disk, report })
  const engine = store?.engine ?? new Engine()
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, async (request, response) => {
    const { status, type, parts } = await answerRequest(engine, request, goneSignal(response), report)
    if (response.destroyed) return
    // A client's keep-alive would hold a closing server open.
    response.shouldKeepAlive &&= server.listening
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
    response.writeHead(status, { 'content-type': type, 'content-length': length })
    for (const part of parts) response.write(part)
    response.end()
  })
  server.keepAliveTimeout = 30_000
  server.headersTimeout = 60_000
  server.requestTimeout = 0
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    await store?.close()
    throw error
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await closed
      await store?.close()
    },
  }
}

interface Answer {
  status: number
  type: string
  /** The text of the body. */
  parts: string[]
}

const plain = (status: number, text: string): Answer => ({ status, type: 'text/plain; charset=utf-8', parts: [text] })

/** The answers that have no envelope. */
const PLAIN_ANSWERS: { readonly [request: string]: Answer } = {
  'GET /': {
    status: 200,
    type: 'application/json',
    parts: [JSON.stringify({ title: 'qdrant - vector search engine', version: QDRANT_VERSION })],
  },
  'GET /healthz': plain(200, 'healthz check passed'),
  'GET /livez': plain(200, 'healthz check passed'),
  'GET /readyz': plain(200, 'all shards are ready'),
}

async function answerRequest(
  engine: Engine,
  request: IncomingMessage,
  signal: AbortSignal,
  report: (sentence: string) => void,
): Promise<Answer> {
  const started = performance.now()
  const answer = async (status: number, members: object, pace = new Pace()): Promise<Answer> => {
    const time = (performance.now() - started) / 1000
    return { status, type: 'application/json', parts: await printInSlices({ ...members, time }, pace) }
  }
  try {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
    const { segments, search } = readPath(request.url ?? '/')
    const body = await readBody(request)
    const fixed = PLAIN_ANSWERS[`${method} /${segments.join('/')}`]
    if (fixed !== undefined) return fixed
    const pace = new Pace({ signal, timeout: readTimeout(search) })
    const parsed = body.trim() === '' ? undefined : parseJson(body)
    const result = await route(engine, { method, segments, search, body: parsed, pace })
    return result === undefined ? plain(404, '') : await answer(200, { result, status: 'ok' }, pace)
  } catch (error) {
    if (error instanceof EngineError) return answer(error.status, { status: { error: error.message } })
    // A client that leaves within its request is no fault of the engine.
    if (!signal.aborted)
      report(`the embedded engine failed on ${request.method} ${request.url}: ${(error as Error).stack}`)
    return answer(500, { status: { error: 'Service internal error: the embedded engine failed on this request' } })
  }
}

/**
 * The parts of a path stay as they came, as in Qdrant: `..` and `\` lead nowhere else. The steps of stowage before the engine read it so, and a
 * path that the engine resolved would be another one for them.
 */
function readPath(target: string): { segments: string[]; search: URLSearchParams } {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(target) ?? []
  try {
    return { segments: path.split('/').filter(Boolean).map(decodeURIComponent), search: new URLSearchParams(query) }
  } catch {
    throw badRequest('malformed path')
  }
}

/** Fires when the client closes the connection before it is answered. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  return gone.signal
}

/** The `timeout` of a request in seconds. @throws EngineError 422 below 1, 400 when it is no whole number */
function readTimeout(search: URLSearchParams): number | undefined {
  const text = search.get('timeout')
  if (text === null) return undefined
  if (!/^\d+$/.test(text))
    throw new EngineError(400, 'Deserialize error in query parameters: invalid digit found in string')
  const seconds = Number(text)
  if (seconds >= 1) return seconds
  throw new EngineError(422, 'Validation error in query parameters: [timeout: value 0 invalid, must be 1 or larger]')
}
