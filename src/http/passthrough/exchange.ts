import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { StowageError } from '../../core/errors.ts'
import { isReset } from '../../qdrant/errors.ts'
import { isRead } from '../../qdrant/paths.ts'
import { headerPairs } from '../../qdrant/raw-headers.ts'
import { awaitsContinue, inviteBody } from '../body/expect-continue.ts'
import { announcesBody } from '../body/upload-silence.ts'
import { flow } from './flow.ts'
import { endToEndHeaders } from './hop-by-hop.ts'
import type { UpstreamTarget } from './upstream-target.ts'
import { OWN_VIA } from './via.ts'

/** A request of a client and what becomes of the answer to it. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** Bytes that were already read from the request; the rest of the request follows them. */
  body: Buffer | undefined
  target: UpstreamTarget
  idleTimeoutMs: number
  /** The raw headers that go on, before those of the connection are taken out. */
  headers: readonly string[]
  /** Called with the head of the answer. The body is not read yet. */
  onAnswer(incoming: IncomingMessage): void
  /** Called when there is no complete answer; also after `onAnswer`, when the body of the answer breaks off. */
  onFailure(cause: unknown): void
}

/** Sends the request of a client to the upstream: raw target, headers and body, except hop-by-hop fields. Never throws. */
export function startExchange(exchange: Exchange): { abort(): void } {
  let current: ClientRequest | null = null
  let aborted = false
  const open = (pooled: boolean) => {
    current = send(exchange, pooled, (cause, answer, reused) => {
      if (aborted) return
      const stale = pooled && reused && isReset(cause) && answer === null
      if (stale && !exchange.response.destroyed && canRepeat(exchange)) open(false)
      // An upstream may answer completely and then close the connection during the upload.
      else if (!answer?.complete) exchange.onFailure(cause)
    })
  }
  open(true)
  return {
    abort: () => {
      aborted = true
      current?.destroy()
    },
  }
}

type OnError = (cause: unknown, answer: IncomingMessage | null, reusedSocket: boolean) => void

function send(exchange: Exchange, pooled: boolean, onError: OnError): ClientRequest | null {
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
    exchange.onFailure(cause)
    return null
  }

  // The upstream may answer before the upload ends, so request and response are watched separately.
  const onResponseClose = () => !response.writableFinished && outgoing.destroy()
  const onRequestClose = () => !request.complete && outgoing.destroy()
  response.on('close', onResponseClose)
  request.on('close', onRequestClose)
  outgoing.on('close', () => {
    response.off('close', onResponseClose)
    request.off('close', onRequestClose)
    // The unread rest of an upload is discarded; otherwise the client never reads its answer.
    stopSending()
    request.resume()
  })

  let answer: IncomingMessage | null = null
  // Nobody asks for another protocol, and Node closes such a connection without a word.
  outgoing.on('upgrade', ({ statusCode }, socket) => {
    stopSending()
    socket.destroy()
    onError(new StowageError('upstream_error', `Qdrant answered ${statusCode}, which no request asks for`), null, false)
  })
  outgoing.on('socket', socket => {
    if (socket.connecting) limitConnecting(outgoing, socket)
    readOnAfterFailedWrites(socket)
  })
  outgoing.on('continue', () => inviteBody(request, response))
  outgoing.on('response', incoming => {
    answer = incoming
    exchange.onAnswer(incoming)
  })
  outgoing.on('timeout', () => outgoing.destroy(late(`silent for ${exchange.idleTimeoutMs} ms`)))
  outgoing.on('error', cause => {
    stopSending()
    onError(cause, answer, outgoing.reusedSocket)
  })
  const stopSending = sendBody(exchange, outgoing)
  return outgoing
}

/** @returns stops the sending */
function sendBody({ request, body }: Exchange, outgoing: ClientRequest): () => void {
  const finish = () => {
    if (outgoing.destroyed) return
    outgoing.addTrailers([...headerPairs(request.rawTrailers)])
    outgoing.end()
  }
  if (body !== undefined && body.length > 0) outgoing.write(body)
  if (request.readableEnded || !announcesBody(request)) {
    finish()
    return () => {}
  }
  return flow(request, outgoing, finish)
}

const USUALLY_WITH_BODY = /^(?!(?:GET|HEAD|DELETE|OPTIONS|TRACE|CONNECT)$)/

function upstreamHeaders({ request, target, headers: given }: Exchange): string[] {
  const dropped = awaitsContinue(request) ? ['host'] : ['host', 'expect']
  const headers = ['Host', target.host, ...endToEndHeaders(given, dropped), ...OWN_VIA]
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

const CONNECT_TIMEOUT_MS = 5_000

function limitConnecting(outgoing: ClientRequest, socket: Socket): void {
  const giveUp = () => outgoing.destroy(late(`no connection within ${CONNECT_TIMEOUT_MS} ms`))
  const timer = setTimeout(giveUp, CONNECT_TIMEOUT_MS)
  socket.once('connect', () => clearTimeout(timer))
  socket.once('close', () => clearTimeout(timer))
}

function late(detail: string): StowageError {
  return new StowageError('upstream_timeout', `Qdrant did not answer in time: ${detail}`, { cause: new Error(detail) })
}

/** The raw request target. Express rewrites `url` below a mount point. */
function requestTarget(request: IncomingMessage & { originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/'
}

const changed = new WeakSet<Socket>()

type Done = (error?: Error | null) => void

/**
 * Lets a socket read on after a failed write. A server may answer and close while the request body is still being sent. Node ends a
 * socket at the first failed write, with the answer unread in the buffer of the system. Here such a write only stops the sending;
 * the socket ends when there is no more to read.
 */
function readOnAfterFailedWrites(socket: Socket): void {
  if (changed.has(socket)) return
  changed.add(socket)
  const { _write, _writev } = socket
  const afterReading =
    (done: Done): Done =>
    error => {
      if (!isReset(error) || socket.readableEnded || socket.destroyed) done(error)
      else socket.once('end', () => done(error))
    }
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, afterReading(done))
  if (_writev) socket._writev = (chunks, done) => _writev.call(socket, chunks, afterReading(done))
}
