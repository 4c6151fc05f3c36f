import type { IncomingMessage, ServerResponse } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import { PATIENCE_MS } from '../../qdrant/client.ts'
import { failureOf } from '../../qdrant/errors.ts'
import { headerPairs } from '../../qdrant/raw-headers.ts'
import { sendQdrantError } from '../body/send-json.ts'
import { announcesBody } from '../body/upload-silence.ts'
import { failedBy, relayedFrom } from '../observe-requests.ts'
import { isGuarded } from '../tenants/guarded-message.ts'
import { hiddenFailure } from '../tenants/tenant-call.ts'
import { startExchange } from './exchange.ts'
import { flow } from './flow.ts'
import { endToEndHeaders } from './hop-by-hop.ts'
import { createUpstreamTarget } from './upstream-target.ts'

/**
 * Streams a request to Qdrant and its answer back, byte for byte: raw target, headers and bodies, except hop-by-hop fields.
 * `body` holds bytes that were already read from the request; the rest of the request follows them. Headers that are already
 * set on the response are added to the answer. Never throws.
 */
export type Passthrough = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => void

/** Sends a request to Qdrant like `Passthrough`, but keeps the answer back. Never throws. */
export type HoldAnswer = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => HeldAnswer

/** An answer of Qdrant, or the failure to get one, of which the client has seen nothing yet. */
export interface HeldAnswer {
  /** Resolves with the head of the answer; null when there is no answer. Never rejects. */
  readonly status: Promise<number | null>
  /** The header `retry-after` of the answer; null without one, and before the head has arrived. */
  readonly retryAfter: string | null
  /** Streams the answer to the client, now or when it arrives. */
  release(): void
  /** Drops the answer and ends the request: the connection to Qdrant is closed. */
  abort(): void
}

export interface PassthroughOptions {
  /** `http(s)://host[:port][/prefix]` */
  upstream: URL
  /** Longest silence of an open exchange in both directions. Default: 10 minutes, because Qdrant may build a snapshot that long. */
  idleTimeoutMs?: number
  /** Called for every exchange that fails upstream. The cause is not shown to clients. */
  onFailure?: OnFailure
  /**
   * Called once for each exchange, at its end: with the status of the answer, or null without a complete one. It is not called when the client
   * leaves before it has waited for `PATIENCE_MS`: that says nothing about Qdrant.
   */
  onEnd?: (status: number | null) => void
  /** The raw headers of a request that may go on. Default: all of them. Those of the connection never do. */
  headersOf?: (request: IncomingMessage) => readonly string[]
  /** Called with each answer as it begins to stream to the client. It may listen to the answer, and must not hold it up. */
  onAnswer?: (request: IncomingMessage, answer: IncomingMessage) => void
  /** How a failed exchange is answered. Default: an error in the envelope of Qdrant. */
  failure?: FailureAnswer
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** What a client is told about a failed exchange. */
interface FailureAnswer {
  /** The error that a cause stands for. */
  of(cause: unknown): StowageError
  /** Sends the error. Nothing of an answer has been sent. */
  send(request: IncomingMessage, response: ServerResponse, error: StowageError): void
}

const AS_QDRANT: FailureAnswer = {
  of: failureOf,
  send: (request, response, { status, message }) => sendQdrantError(request, response, status, message),
}

type OnFailure = (failure: { status: number; message: string; cause: unknown }) => void

export interface PassthroughProxy {
  passthrough: Passthrough
  hold: HoldAnswer
  /** Closes idle connections to the upstream. */
  close(): void
}

export function createPassthrough({
  upstream,
  idleTimeoutMs = 600_000,
  onFailure = () => {},
  onEnd = () => {},
  headersOf = ({ rawHeaders }) => rawHeaders,
  onAnswer = () => {},
  failure = AS_QDRANT,
  now = () => performance.now(),
}: PassthroughOptions): PassthroughProxy {
  const target = createUpstreamTarget(upstream)
  const hold: HoldAnswer = (request, response, body) => {
    const client = { request, response, onFailure, onAnswer, failure }
    const waitedMs = waitOf(request, now)
    let released = false
    let arrived = false
    let aborted = false
    let broke = false
    const noticeBreak = () => {
      broke ||= !aborted && !hasLeft(response)
    }
    let sendToClient = () => {}
    let settle: (status: number | null) => void = () => {}
    let retryAfter: string | null = null
    const status = new Promise<number | null>(resolve => {
      settle = resolve
    })
    /** A failure after the head of a held answer replaces the answer. */
    const arrive = (found: number | null, send: () => void) => {
      if (!arrived && found === null && (!hasLeft(response) || waitedMs() >= PATIENCE_MS)) onEnd(null)
      arrived = true
      sendToClient = send
      settle(found)
      if (released) send()
    }
    const exchange = startExchange({
      request,
      response,
      body,
      target,
      idleTimeoutMs,
      headers: headersOf(request),
      onAnswer: incoming => {
        incoming.once('error', noticeBreak)
        incoming.once('close', () => onEnd(broke ? null : (incoming.statusCode ?? null)))
        retryAfter = incoming.headers['retry-after'] ?? null
        arrive(incoming.statusCode ?? null, () => relayAnswer(client, incoming))
      },
      onFailure: cause => {
        noticeBreak()
        arrive(null, () => fail(client, cause))
      },
    })
    const abort = () => {
      aborted = true
      exchange.abort()
    }
    if (response.destroyed) abort()
    return {
      status,
      get retryAfter() {
        return retryAfter
      },
      release: () => {
        released = true
        sendToClient()
      },
      abort,
    }
  }
  return {
    hold,
    passthrough(request, response, body) {
      if (!response.destroyed) hold(request, response, body).release()
    },
    close: () => target.close(),
  }
}

/** @returns milliseconds since the whole request was there; 0 before. A slow upload is no wait. */
function waitOf(request: IncomingMessage, now: () => number): () => number {
  let from = request.readableEnded || !announcesBody(request) ? now() : null
  request.once('end', () => {
    from ??= now()
  })
  return () => (from === null ? 0 : now() - from)
}

interface Client {
  request: IncomingMessage
  response: ServerResponse
  onFailure: OnFailure
  onAnswer: NonNullable<PassthroughOptions['onAnswer']>
  failure: FailureAnswer
}

/** Relays an answer. After its head is sent, a failure can only break the connection of the client. */
function relayAnswer(client: Client, incoming: IncomingMessage): void {
  const { response } = client
  if (incoming.destroyed) {
    fail(client, brokenOff())
    return
  }
  const { statusCode = 502, headers } = incoming
  const hidden = isGuarded(client.request) ? hiddenFailure(statusCode, headers['retry-after'] ?? null) : null
  if (hidden !== null) {
    incoming.resume()
    fail(client, hidden)
    return
  }
  try {
    writeAnswerHead(response, incoming)
  } catch (cause) {
    incoming.destroy()
    fail(client, cause)
    return
  }
  relayedFrom(response)
  incoming.on('error', () => fail(client, brokenOff()))
  flow(incoming, response, () => {
    if (incoming.rawTrailers.length > 0) response.addTrailers([...headerPairs(incoming.rawTrailers)])
    response.end()
  })
  client.onAnswer(client.request, incoming)
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

function brokenOff(): StowageError {
  const cause = new Error('the answer broke off')
  return new StowageError('upstream_error', 'Qdrant closed the connection within its answer', { cause })
}

/** Whether nobody waits any more. At a shutdown, connections break before their answers notice it. */
function hasLeft(response: ServerResponse): boolean {
  return response.destroyed || response.socket?.destroyed === true
}

function fail({ request, response, onFailure, failure }: Client, cause: unknown): void {
  if (hasLeft(response) || response.writableEnded) return
  const error = failure.of(cause)
  failedBy(response, error)
  onFailure({ status: error.status, message: error.message, cause })
  if (response.headersSent) response.destroy()
  else failure.send(request, response, error)
}
