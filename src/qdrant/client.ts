import { Pool } from 'undici'
import { failureOf, isReset, notUnderstood, statusFailure } from './errors.ts'
import { parseJson, printJson } from './json.ts'
import { pathPrefix } from './paths.ts'
import { headerValue } from './raw-headers.ts'

interface ReadRequest {
  method: 'GET' | 'POST'
  /** Path below the server's URL, names already percent-encoded. */
  path: string
  signal: AbortSignal
}

/** A read whose answer is parsed. */
export interface QdrantRead extends ReadRequest {
  body?: unknown
  apiKey: string | null
}

/** A read whose answer is taken as it comes. */
export interface QdrantRawRead extends ReadRequest {
  /** Raw header pairs, the request's own key among them. */
  headers: string[]
  body?: string | null
}

export interface QdrantAnswer {
  status: number
  /** Raw header pairs. */
  headers: string[]
  text: string
}

/** Reads over Qdrant's REST API; nothing else may be sent, because a broken connection makes it be sent once more. */
export interface QdrantHttp {
  /** The answer's `result`. Throws a `StowageError`. */
  read(request: QdrantRead): Promise<unknown>
  /** The answer whatever its status. Throws a `StowageError` when there is none. */
  readRaw(request: QdrantRawRead): Promise<QdrantAnswer>
  close(): Promise<void>
}

/** Qdrant closes an idle connection after 5 s. Let go earlier, or a request meets a closing socket. */
export const IDLE_CONNECTION_MS = 4_000
/** The lists of one search with their payloads; a longer answer is an error. */
const LONGEST_ANSWER = 64 * 1024 * 1024

/** A client that keeps every digit: integers beyond 2^53 are `bigint` in answers, and may be in bodies. */
export function createQdrantHttp(url: string): QdrantHttp {
  const server = new URL(url)
  const prefix = pathPrefix(server)
  const pool = new Pool(server.origin, {
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    maxResponseSize: LONGEST_ANSWER,
  })

  async function send({ method, path, headers, body = null, signal }: QdrantRawRead): Promise<QdrantAnswer> {
    const options = { method, path: prefix + path, headers, body, signal, responseHeaders: 'raw' } as const
    const answer = await pool.request(options)
    // undici's type knows the parsed form only.
    const rawHeaders = answer.headers as unknown as string[]
    return { status: answer.statusCode, headers: rawHeaders, text: await answer.body.text() }
  }

  async function readRaw(request: QdrantRawRead): Promise<QdrantAnswer> {
    const { signal } = request
    try {
      return await send(request).catch(error =>
        isReset(error) && !signal.aborted ? send(request) : Promise.reject(error),
      )
    } catch (error) {
      throw failureOf(error, signal.aborted)
    }
  }

  return {
    readRaw,
    async read({ apiKey, body, ...request }) {
      const key = apiKey === null ? [] : ['api-key', apiKey]
      const type = body === undefined ? [] : ['content-type', 'application/json']
      const { status, headers, text } = await readRaw({
        ...request,
        headers: ['accept', 'application/json', ...key, ...type],
        body: body === undefined ? null : printJson(body),
      })
      if (status < 200 || status > 299) throw statusFailure(status, text, headerValue(headers, 'retry-after'))
      return resultOf(text)
    },
    close: () => pool.close(),
  }
}

function resultOf(text: string): unknown {
  try {
    const answer = parseJson(text)
    if (typeof answer === 'object' && answer !== null && 'result' in answer) return answer.result
  } catch {
    // Falls through: a body that is no JSON and one without a result are the same fault.
  }
  throw notUnderstood(text.slice(0, 200))
}
