import { Pool } from 'undici'
import { StowageError } from '../core/errors.ts'
import { failureOf, isReset, statusFailure } from './errors.ts'
import { parseJson, printJson } from './json.ts'

export interface QdrantRead {
  method: 'GET' | 'POST'
  /** Path below the server's URL, names already percent-encoded. */
  path: string
  body?: unknown
  apiKey: string | null
  signal: AbortSignal
}

/** Reads over Qdrant's REST API. Every call must be safe to send twice. */
export interface QdrantHttp {
  /** The answer's `result`. Throws a `StowageError`. */
  read(request: QdrantRead): Promise<unknown>
  close(): Promise<void>
}

/** Below the 5 s after which Qdrant closes an idle connection, so that a request seldom meets a closing one. */
const IDLE_MS = 4_000

/** A client that keeps every digit: integers beyond 2^53 are `bigint` in answers, and may be in bodies. */
export function createQdrantHttp(url: string): QdrantHttp {
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, { keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS, connections: 64 })

  async function send(request: QdrantRead): Promise<{ status: number; text: string; retryAfter: string | null }> {
    const response = await pool.request({
      method: request.method,
      path: `${prefix}${request.path}`,
      signal: request.signal,
      headers: {
        accept: 'application/json',
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.apiKey === null ? {} : { 'api-key': request.apiKey }),
      },
      body: request.body === undefined ? null : printJson(request.body),
    })
    const retryAfter = response.headers['retry-after']
    return {
      status: response.statusCode,
      text: await response.body.text(),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    }
  }

  async function sendAgainAfterReset(request: QdrantRead): ReturnType<typeof send> {
    try {
      return await send(request)
    } catch (error) {
      if (!isReset(error) || request.signal.aborted) throw error
      return send(request)
    }
  }

  return {
    async read(request) {
      const answer = await sendAgainAfterReset(request).catch(error => {
        throw failureOf(error, url, request.signal.aborted)
      })
      if (answer.status < 200 || answer.status > 299) throw statusFailure(answer.status, answer.text, answer.retryAfter)
      return resultOf(answer.text)
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
  throw new StowageError('upstream_error', `Qdrant's answer was not understood: ${text.slice(0, 200)}`)
}
