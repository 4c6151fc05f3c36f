import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import { failureOf, isReset } from '../../qdrant/errors.ts'
import { isRead } from '../../qdrant/paths.ts'
import { headerPairs } from '../../qdrant/raw-headers.ts'
import { awaitsContinue, inviteBody } from '../body/expect-continue.ts'
import { sendQdrantError } from '../body/send-json.ts'
import { announcesBody } from '../body/upload-silence.ts'
import { endToEndHeaders } from './hop-by-hop.ts'
import { createUpstreamTarget, type UpstreamTarget } from './upstream-target.ts'
import { OWN_VIA } from './via.ts'

/**
 * Streams a request to Qdrant and its answer back, byte for byte: raw target, headers and bodies, except hop-by-hop fields.
 * `body` holds bytes that were already read from the request; the rest of the request follows them. Headers that are already
 * set on the response are added to the answer. Never throws.
 */
export type Passthrough = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => void

export interface PassthroughOptions {
  /** `http(s)://host[:port][/prefix]` */
  upstream: URL
  /** Longest silence of an open exchange in both directions. Default: 10 minutes, because Qdrant may build a snapshot that long. */
  idleTimeoutMs?: number
  /** Called for every exchange that fails upstream. The cause is not shown to clients. */
  onFailure?: (failure: { status: number; message: string; cause: unknown }) => void
}

export interface PassthroughProxy {
  passthrough: Passthrough
  /** Closes idle connections to the upstream. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 5_000

export function createPassthrough({
  upstream,
  idleTimeoutMs = 600_000,
  onFailure = () => {},
}: PassthroughOptions): PassthroughProxy {
  const target = createUpstreamTarget(upstream)
  return {
    passthrough(request, response, body) {
      if (response.destroyed) return
      startExchange({ request, response, body, target, idleTimeoutMs, onFailure })
    },
    close: () => target.close(),
  }
}

const USUALLY_WITH_BODY = /^(?!(?:GET|HEAD|DELETE|OPTIONS|TRACE|CONNECT)$)/

interface Exchange extends Required<Omit<PassthroughOptions, 'upstream'>> {
  request: IncomingMessage
  response: ServerResponse
  body: Buffer | undefined
  target: UpstreamTarget
}

function startExchange(exchange: Exchange, { pooled } = { pooled: true }): void {
  const { request, response, target } = exchange
  let outgoing: ClientRequest
  try {
    outgoing = target.open({
      method: request.method ?? 'GET',
      path: target.pathFor(requestTarget(request)),
      headers: upstreamHeaders(exchange),
      idleMs: exchange.idleTimeoutMs,
      pooled,
    })
  } catch (cause) {
    fail(exchange, cause)
    return
  }

  // The upstream may answer before the upload ends, so request and response are watched separately.
  const onResponseClose = () => !response.writableFinished && outgoing.destroy()
  const onRequestClose = () => !request.complete && outgoing.destroy()
  response.once('close', onResponseClose)
  request.once('close', onRequestClose)
  outgoing.once('close', () => {
    response.off('close', onResponseClose)
    request.off('close', onRequestClose)
    // The unread rest of an upload is discarded; otherwise the client never reads its answer.
    request.unpipe(outgoing).resume()
  })

  let answer: IncomingMessage | null = null
  limitConnecting(outgoing)
  outgoing.on('continue', () => inviteBody(request, response))
  outgoing.on('response', incoming => {
    answer = incoming
    relayAnswer(exchange, incoming)
  })
  outgoing.on('timeout', () => {
    if (response.headersSent) response.destroy()
    else outgoing.destroy(late(`silent for ${exchange.idleTimeoutMs} ms`))
  })
  outgoing.on('error', cause => {
    request.unpipe(outgoing)
    const stale = pooled && outgoing.reusedSocket && isReset(cause) && answer === null
    if (stale && !response.destroyed && canRepeat(exchange)) startExchange(exchange, { pooled: false })
    // An upstream may answer completely and then close the connection during the upload.
    else if (!answer?.complete) fail(exchange, cause)
  })
  sendBody(exchange, outgoing)
}

/** Relays an answer. After its head is sent, a failure can only break the connection of the client. */
function relayAnswer(exchange: Exchange, incoming: IncomingMessage): void {
  const { response } = exchange
  try {
    writeAnswerHead(response, incoming)
  } catch (cause) {
    incoming.destroy()
    fail(exchange, cause)
    return
  }
  incoming.on('error', () => response.destroy())
  incoming.on('end', () => {
    response.addTrailers([...headerPairs(incoming.rawTrailers)])
    response.end()
  })
  incoming.pipe(response, { end: false })
}

function writeAnswerHead(response: ServerResponse, incoming: IncomingMessage): void {
  const headers = [...endToEndHeaders(incoming.rawHeaders), ...transferCodings(incoming)]
  response.sendDate = false
  if (response.getHeaderNames().length === 0) {
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headers)
    return
  }
  // writeHead overwrites earlier headers with those of a raw list, which would lose duplicates.
  for (const [name, value] of headerPairs(headers)) response.appendHeader(name, value)
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage)
}

/** Node only undoes the chunks of a body. Another coding (`gzip, chunked`) stays on the bytes, so its name stays too. */
function transferCodings({ headers }: IncomingMessage): string[] {
  const coding = headers['transfer-encoding']
  return coding === undefined || /^\s*chunked\s*$/i.test(coding) ? [] : ['Transfer-Encoding', coding]
}

function sendBody({ request, body }: Exchange, outgoing: ClientRequest): void {
  const finish = () => {
    if (outgoing.destroyed) return
    outgoing.addTrailers([...headerPairs(request.rawTrailers)])
    outgoing.end()
  }
  if (body !== undefined && body.length > 0) outgoing.write(body)
  if (request.readableEnded || !announcesBody(request)) {
    finish()
    return
  }
  request.once('end', finish)
  request.pipe(outgoing, { end: false })
}

function upstreamHeaders({ request, target }: Exchange): string[] {
  const dropped = awaitsContinue(request) ? ['host'] : ['host', 'expect']
  const headers = ['Host', target.host, ...endToEndHeaders(request.rawHeaders, dropped), ...OWN_VIA]
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined) headers.push('Transfer-Encoding', coding)
  // Otherwise Node would announce an empty chunked body.
  else if (request.headers['content-length'] === undefined && USUALLY_WITH_BODY.test(request.method ?? '')) {
    headers.push('Content-Length', '0')
  }
  return headers
}

/** A request can be repeated when it only reads and its whole body is available. */
function canRepeat({ request, body }: Exchange): boolean {
  const isBodyAvailable = !announcesBody(request) || (body !== undefined && request.readableEnded)
  return isBodyAvailable && isRead(request.method ?? 'GET', requestTarget(request))
}

function fail({ request, response, onFailure }: Exchange, cause: unknown): void {
  if (response.destroyed || response.writableEnded) return
  const { status, message } = failureOf(cause)
  onFailure({ status, message, cause })
  sendQdrantError(request, response, status, message)
}

function late(detail: string): StowageError {
  return new StowageError('upstream_timeout', `Qdrant did not answer in time: ${detail}`)
}

function limitConnecting(outgoing: ClientRequest): void {
  outgoing.once('socket', socket => {
    if (!socket.connecting) return
    const giveUp = () => outgoing.destroy(late(`no connection within ${CONNECT_TIMEOUT_MS} ms`))
    const timer = setTimeout(giveUp, CONNECT_TIMEOUT_MS)
    socket.once('connect', () => clearTimeout(timer))
    socket.once('close', () => clearTimeout(timer))
  })
}

/** The raw request target. Express rewrites `url` below a mount point. */
function requestTarget(request: IncomingMessage & { originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/'
}
