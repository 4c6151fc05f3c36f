import { timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import { StowageError } from '../core/errors.ts'
import { awaitsContinue, inviteBody } from '../http/body/expect-continue.ts'
import { sendOwnError } from '../http/error-handler.ts'
import { endToEndHeaders } from '../http/passthrough/hop-by-hop.ts'
import { headerPairs, MAX_HEADER_BYTES } from '../qdrant/raw-headers.ts'
import { sha256 } from '../text/fingerprint.ts'

/** Where the first worker takes requests from the others. */
export interface FirstWorker {
  /** `http://127.0.0.1:port`; null while it is away. */
  readonly address: string | null
  /** What only the processes of this cluster know. */
  readonly secret: string
}

/** Paths of which the first worker alone has the state: experiments, and with MCP the jobs of agents. */
export function isOfFirst(path: string, hasMcp: boolean): boolean {
  return hasMcp ? /^\/(?:v1\/experiments|mcp)(?:[/?#]|$)/u.test(path) : /^\/v1\/experiments(?:[/?#]|$)/u.test(path)
}

/** Names the secret, and the address that the client has connected to. */
const PASSED = 'x-stowage-passed-on'

/** Passes a request on to the first worker as it is, and its answer back. */
export function passOn(request: http.IncomingMessage, response: http.ServerResponse, first: FirstWorker): void {
  const fail = (): void => {
    if (response.headersSent) response.destroy()
    if (response.headersSent || response.destroyed) return
    response.setHeader('retry-after', '1')
    sendOwnError(
      request,
      response,
      new StowageError('overloaded', 'The first worker starts again. Try again after 1 s'),
    )
  }
  if (first.address === null) {
    fail()
    return
  }
  const { hostname, port } = new URL(first.address)
  const passed = http.request({
    ...{ hostname, port, method: request.method, path: request.url, maxHeaderSize: MAX_HEADER_BYTES },
    // A connection of its own, so that no request meets one that is closing.
    agent: false,
    headers: [
      ...endToEndHeaders(request.rawHeaders, ['expect', PASSED]),
      ...[PASSED, `${first.secret} ${request.socket.localAddress ?? ''}`],
    ],
  })
  passed.once('response', answer => {
    response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.rawHeaders))
    answer.once('error', fail)
    answer.pipe(response)
  })
  passed.once('error', fail)
  response.once('close', () => passed.destroy())
  if (awaitsContinue(request)) inviteBody(request, response)
  request.pipe(passed)
}

/** Answers what other workers pass on, as if it had come from their clients. Everybody else is turned away. */
export function takePassedOn(app: http.RequestListener, secret: string): http.RequestListener {
  return (request, response) => {
    const [given = '', localAddress = ''] = String(request.headers[PASSED] ?? '').split(' ')
    if (!timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(secret)))) {
      response.writeHead(403, { connection: 'close' }).end()
      return
    }
    delete request.headers[PASSED]
    const others = [...headerPairs(request.rawHeaders)].filter(([name]) => name.toLowerCase() !== PASSED)
    request.rawHeaders = others.flat()
    // What is allowed over the loopback interface depends on the address that the client has connected to.
    Object.defineProperty(request.socket, 'localAddress', { value: localAddress || undefined })
    app(request, response)
  }
}
