import { DecoratorHandler, type Dispatcher, Pool } from 'undici'
import { concernsRequest, failureOf, isReset, lateAnswer, notUnderstood, statusFailure } from './errors.ts'
import { isObject, parseJson, printJson } from './json.ts'
import { pathPrefix } from './paths.ts'
import { headerValue, MAX_HEADER_BYTES, replaceHeaders } from './raw-headers.ts'

interface ReadRequest {
  /** A PUT, like every other write, only when it can be repeated. */
  method: 'GET' | 'POST' | 'PUT'
  /** Path below the server URL, percent-encoded. */
  path: string
  signal: AbortSignal
}

/** A read with a parsed answer. */
export interface QdrantRead extends ReadRequest {
  body?: unknown
  apiKey: string | null
}

/** A read with the raw answer. */
interface QdrantRawRead extends ReadRequest {
  /** Raw header pairs, the API key included. */
  headers: string[]
  body?: string | null
}

export interface QdrantAnswer {
  status: number
  /** Raw header pairs. Each character is one byte, as in those of Node, so what is sent on has the bytes of Qdrant. */
  headers: string[]
  text: string
}

/** Reads over Qdrant's REST API. Send writes only when they can be repeated: a request on a broken connection is sent a second time. */
export interface QdrantHttp {
  /** The `result` of the answer. @throws StowageError when there is none */
  read(request: QdrantRead): Promise<unknown>
  /** The answer with any status. @throws StowageError when there is no answer */
  readRaw(request: QdrantRawRead): Promise<QdrantAnswer>
  close(): Promise<void>
}

/** Sees every read: one call when it begins, one when it ends. */
export interface ReadObserver {
  begin(read: { method: string; path: string }): {
    /** Raw header pairs that are sent with the read, in place of those of the same name. */
    headers: readonly string[]
    /** @param status null when there was no answer @param isGivenUp whether nobody waits for the answer any more */
    end(status: number | null, isGivenUp: boolean): void
  }
}

/** Qdrant closes idle connections after 5 s. Closing them earlier keeps requests off closing sockets. */
export const IDLE_CONNECTION_MS = 4_000
/** Who gives up after having waited this long for an answer has waited in vain; before, it says nothing about Qdrant. In milliseconds. */
export const PATIENCE_MS = 1_000
/** Longest time of a read that no request of a client waits for, such as those of commands, in milliseconds. */
export const READ_TIMEOUT_MS = 60_000
/** Most bytes of an answer: all lists of one search with their payloads. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** A client that keeps u64 ids exact: integers beyond 2^53 are `bigint` in bodies and answers. */
export function createQdrantHttp(url: string, observer: ReadObserver = UNOBSERVED): QdrantHttp {
  const server = new URL(url)
  const prefix = pathPrefix(server)
  const pool = new Pool(server.origin, {
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    maxResponseSize: MAX_ANSWER_BYTES,
    maxHeaderSize: MAX_HEADER_BYTES,
  })

  async function send({ method, path, headers, body = null, signal }: QdrantRawRead): Promise<QdrantAnswer> {
    let received: string[] = []
    const keepHeaders: Dispatcher.DispatcherComposeInterceptor = dispatch => (options, handler) =>
      dispatch(options, new HeaderKeeper(handler, kept => (received = kept)))
    const options = { method, path: prefix + path, headers, body, signal }
    const { statusCode, body: answer } = await pool.compose(keepHeaders).request(options)
    return { status: statusCode, headers: received, text: await answer.text() }
  }

  async function readRaw(request: QdrantRawRead): Promise<QdrantAnswer> {
    const { signal } = request
    const { headers, end } = observer.begin(request)
    const sent = headers.length === 0 ? request : { ...request, headers: replaceHeaders(request.headers, headers) }
    try {
      const answer = await send(sent).catch(error =>
        isReset(error) && !signal.aborted ? send(sent) : Promise.reject(error),
      )
      end(answer.status, false)
      return answer
    } catch (error) {
      end(null, signal.aborted)
      throw failureOf(error, signal.aborted)
    }
  }

  return clientOf(readRaw, () => pool.close())
}

/** Keeps the raw headers of an answer. undici itself reads them as UTF-8, which loses the bytes of all other codings. */
class HeaderKeeper extends DecoratorHandler implements Dispatcher.DispatchHandlers {
  readonly #handler: Dispatcher.DispatchHandlers
  readonly #keep: (rawHeaders: string[]) => void

  constructor(handler: Dispatcher.DispatchHandlers, keep: (rawHeaders: string[]) => void) {
    super(handler)
    this.#handler = handler
    this.#keep = keep
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean {
    this.#keep(headers.map(bytes => bytes.toString('latin1')))
    return this.#handler.onHeaders?.(status, headers, resume, statusText) ?? true
  }
}

function clientOf(readRaw: QdrantHttp['readRaw'], close: QdrantHttp['close']): QdrantHttp {
  return {
    readRaw,
    async read({ apiKey, body, ...request }) {
      const printed = body === undefined ? null : printJson(body)
      return resultOf(textOf(await readRaw({ ...request, headers: jsonHeaders(apiKey, printed), body: printed })))
    },
    close,
  }
}

/** The same client for what tenants read: no error has the text of an answer that does not concern their own request. */
export function withoutFailureTexts({ readRaw, close }: QdrantHttp): QdrantHttp {
  return clientOf(async request => {
    const answer = await readRaw(request)
    return concernsRequest(answer.status) ? answer : { ...answer, text: '' }
  }, close)
}

/** A read of a command. @throws StowageError, `upstream_timeout` after a minute without an answer */
export async function readForCommand(
  http: Pick<QdrantHttp, 'read'>,
  read: Omit<QdrantRead, 'signal'>,
): Promise<unknown> {
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS)
  try {
    return await http.read({ ...read, signal })
  } catch (error) {
    throw signal.aborted ? lateAnswer(READ_TIMEOUT_MS, error) : error
  }
}

/** Raw header pairs of a request whose body, if any, is JSON. */
export function jsonHeaders(apiKey: string | null, body: string | null): string[] {
  const key = apiKey === null ? [] : ['api-key', apiKey]
  const type = body === null ? [] : ['content-type', 'application/json']
  return ['accept', 'application/json', ...key, ...type]
}

/** @throws StowageError when the status is not 2xx */
export function textOf({ status, headers, text }: QdrantAnswer): string {
  if (status < 200 || status > 299) throw statusFailure(status, text, headerValue(headers, 'retry-after'))
  return text
}

const UNOBSERVED: ReadObserver = { begin: () => ({ headers: [], end: () => {} }) }

function resultOf(text: string): unknown {
  try {
    const answer = parseJson(text)
    if (isObject(answer) && 'result' in answer) return answer.result
  } catch {
    // Malformed JSON and a missing result are the same fault.
  }
  throw notUnderstood(text.slice(0, 200))
}
