import http, { type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MAX_HEADER_BYTES } from '../qdrant/raw-headers.ts'
import { deferContinue } from './body/expect-continue.ts'
import { type Drain, prepareDrain } from './connection/drain.ts'
import { answerHalfClosed } from './connection/half-closed.ts'
import { followResponses } from './connection/open-responses.ts'

/** Qdrant's JS client keeps idle connections for 10 s. Closing them later keeps it off closing sockets. */
const KEEP_ALIVE_MS = 15_000
const HEADERS_TIMEOUT_MS = 20_000

export interface RunningServer {
  /** `http://host:port` */
  url: string
  /**
   * Accepts what has connected, closes the port, waits at most `graceMs` for open requests, then breaks the remaining connections. A request that
   * comes on an open connection within half a second is answered as the last one there.
   */
  close: Drain
}

/**
 * Starts to listen; port 0 takes a free port. Rejects when the address is not available.
 * @param address `exclusive`: workers of a cluster do not share the port
 */
export async function startServer(
  app: http.RequestListener,
  { port, host, exclusive = false }: { port: number; host: string; exclusive?: boolean },
): Promise<RunningServer> {
  const server = http.createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Uploads and snapshots have no time limit.
    requestTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Qdrant does not require one.
    requireHostHeader: false,
  })
  const close = prepareDrain(server, app)
  deferContinue(server)
  answerHalfClosed(server)
  refuseUnreadable(server)
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error) => reject(cannotListen({ port, host }, cause))
    server.once('error', fail)
    server.listen({ port, host, exclusive }, () => {
      server.off('error', fail)
      resolve()
    })
  })
  return { url: urlOf(server), close }
}

/** Not every reason says that it is about an address to listen on. The code, such as `EADDRINUSE`, stays. */
export function cannotListen({ port, host }: { port: number; host: string }, cause: NodeJS.ErrnoException): Error {
  const error = new Error(`cannot listen on host ${host}, port ${port}: ${cause.message}`, { cause })
  return Object.assign(error, { code: cause.code })
}

function urlOf(server: http.Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** As Node answers by default: these statuses by the code of the error, 400 for all others. */
const STATUS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/**
 * Refuses bytes that are no HTTP request, and ends their connection. The requests before them get their answers first, as from Qdrant. By default,
 * Node sends its refusal in the place of an answer that is under way.
 */
function refuseUnreadable(server: Server): void {
  const responsesOf = followResponses(server)
  const refused = new WeakSet<object>()
  server.on('clientError', async ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // Each further part of such bytes is an error again.
    if (refused.has(socket)) return
    refused.add(socket)
    const open = [...responsesOf(socket)]
    await Promise.all(open.filter(({ req }) => req.complete).map(whenClosed))
    // Within an answer that has begun, a refusal would look like a part of it.
    const hasBegun = open.some(({ req, headersSent }) => !req.complete && headersSent)
    if (hasBegun || !socket.writable) socket.destroy()
    else
      socket.end(`HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`, () => socket.destroy())
  })
}

function whenClosed(response: ServerResponse): Promise<void> {
  return new Promise(resolve => response.once('close', resolve))
}
