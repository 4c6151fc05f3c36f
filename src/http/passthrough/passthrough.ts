import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import { failureOf, isReset } from '../../qdrant/errors.ts'
import { isRead } from '../../qdrant/paths.ts'
import { headerPairs } from '../../qdrant/raw-headers.ts'
import { awaitsContinue, inviteBody } from '../body/expect-continue.ts'
import { sendQdrantError } from '../body/send-json.ts'
import { endToEndHeaders } from './hop-by-hop.ts'
import { createUpstreamTarget, type UpstreamTarget } from './upstream-target.ts'
import { OWN_VIA } from './via.ts'

/**
 * Streams a request to Qdrant and its answer back, byte for byte: raw target, headers and bodies, only the hop-by-hop
 * fields are this connection's own. `body` holds bytes that were already read from the request; what is still in
 * the request follows them. Headers set on the response before are added to the answer. Never throws.
 */
export type Passthrough = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => void

export interface PassthroughOptions {
  /** `http(s)://host[:port][/prefix]` */
  upstream: URL
  connectTimeoutMs?: number
  /** How long an open exchange may be silent in both directions. */
  idleTimeoutMs?: number
  /** Told of every exchange that failed upstream, with a cause that is not for clients. */
  onFailure?: (failure: { status: number; message: string; cause: unknown }) => void
}

export interface PassthroughProxy {
  passthrough: Passthrough
  /** Closes idle connections to the upstream. */
  close(): void
}

/** Defaults: 5 s to connect; 10 minutes of silence, because Qdrant may build a snapshot that long. */
export function createPassthrough({
  upstream,
  connectTimeoutMs = 5_000,
  idleTimeoutMs = 600_000,
  onFailure = () => {},
}: PassthroughOptions): PassthroughProxy {
  const target = createUpstreamTarget(upstream)
  return {
    passthrough(request, response, body) {
      if (response.destroyed) return
      startExchange({ request, response, body, target, connectTimeoutMs, idleTimeoutMs, onFailure })
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

  // After its end a request still stands for an upload that goes on beyond an early answer.
  const onResponseClose = () => !response.writableFinished && outgoing.destroy()
  const onRequestClose = () => !request.complete && outgoing.destroy()
  response.once('close', onResponseClose)
  request.once('close', onRequestClose)
  outgoing.once('close', () => {
    response.off('close', onResponseClose)
    request.off('close', onRequestClose)
    // What the upstream did not want of an upload is read and thrown away, or the client never gets to its answer.
    request.unpipe(outgoing).resume()
  })

  let answer: IncomingMessage | null = null
  limitConnecting(outgoing, exchange.connectTimeoutMs)
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
    // An upstream may answer in full and then close on an upload it does not want.
    else if (!answer?.complete) fail(exchange, cause)
  })
  sendBody(exchange, outgoing)
}

/** The answer has begun: from here on a failure can only be shown by breaking the client's connection. */
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
  const headers = endToEndHeaders(incoming.rawHeaders)
  response.sendDate = false
  if (response.getHeaderNames().length === 0) {
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headers)
    return
  }
  // Node merges earlier headers with a raw list by overwriting, which would lose duplicates.
  for (const [name, value] of headerPairs(headers)) response.appendHeader(name, value)
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage)
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
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked')
  // Otherwise Node would announce a chunked body, if an empty one.
  else if (request.headers['content-length'] === undefined && USUALLY_WITH_BODY.test(request.method ?? '')) {
    headers.push('Content-Length', '0')
  }
  return headers
}

function announcesBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/** A repeat is harmless when the request only reads, and possible when none of its body has left the stream. */
function canRepeat({ request, body }: Exchange): boolean {
  const bodyAtHand = !announcesBody(request) || (body !== undefined && request.readableEnded)
  return bodyAtHand && isRead(request.method ?? 'GET', requestTarget(request))
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

function limitConnecting(outgoing: ClientRequest, connectTimeoutMs: number): void {
  outgoing.once('socket', socket => {
    if (!socket.connecting) return
    const timer = setTimeout(
      () => outgoing.destroy(late(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
    socket.once('connect', () => clearTimeout(timer))
    socket.once('close', () => clearTimeout(timer))
  })
}

/** Express rewrites `url` under a mount point; the target as it came is what Qdrant has to see. */
function requestTarget(request: IncomingMessage & { originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/'
}
