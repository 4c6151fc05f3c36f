import type { ContextRequest, ContextResponse } from '../pipeline/context-request.ts'
import type { Trace } from '../pipeline/trace/schema.ts'
import { isObject, parseObject, printJson } from '../qdrant/json.ts'
import { StowageClientError } from './client-error.ts'

export interface ClientOptions {
  /** Where stowage listens: `http://stowage:6433`, with a path when it stands under one. */
  url: string
  /** The key of the tenant or, without tenants, of Qdrant. */
  apiKey?: string | undefined
  /** What sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Longest time of a call in milliseconds, repetitions included. Default: 60,000. Beyond 2^31 - 1, with Infinity, it is that. */
  timeoutMs?: number | undefined
}

export interface CallOptions {
  /** Ends the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined
}

/** A stowage over HTTP. Its calls reject with a {@link StowageClientError}; what cannot be sent, such as a cycle, rejects with the error of its encoding. */
export interface Client {
  /** `POST /v1/context`: packs a context for a question. Ids beyond 2^53 are bigint, in both directions. */
  context(request: ContextRequest, options?: CallOptions): Promise<ContextResponse>
  /** `GET /v1/traces/{id}`: the trace of one of the last requests with the same key. */
  trace(traceId: string, options?: CallOptions): Promise<Trace>
}

const TIMEOUT_MS = 60_000
/** Node takes a longer time for 1 ms. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
const MOST_ATTEMPTS = 3

/**
 * A client of the routes under `/v1/`. A call is repeated only when stowage answers 503 and says after how many seconds to come again, at
 * most twice, and not beyond `timeoutMs`.
 * @throws TypeError for a `url` that is none of http or https, or has more than a path, for an `apiKey` that no header can hold, and for a `timeoutMs` of 0 or less
 */
export function createClient({ url, apiKey, fetch, timeoutMs: givenMs = TIMEOUT_MS }: ClientOptions): Client {
  if (!URL.canParse(url)) throw new TypeError(`createClient: url is not a URL: ${JSON.stringify(url)}`)
  const { protocol, origin, pathname, username, password, search, hash } = new URL(url)
  // `stowage:6433` is a URL of the scheme `stowage:`, and no server can be reached by it.
  if (!/^https?:$/u.test(protocol))
    throw new TypeError(`createClient: url must begin with http:// or https://, not ${JSON.stringify(protocol)}`)
  // The errors of `fetch` for these would show a password or a key to whoever logs them.
  if (`${username}${password}${search}${hash}` !== '')
    throw new TypeError('createClient: url must not have a user, a password, a query or a fragment')
  if (!canBeSent(apiKey ?? '')) throw new TypeError('createClient: apiKey has signs that no header can have')
  if (!(givenMs > 0)) throw new TypeError(`createClient: timeoutMs must be greater than 0, not ${givenMs}`)
  const timeoutMs = Math.min(givenMs, LONGEST_TIMEOUT_MS)
  const base = origin + pathname.replace(/\/+$/u, '')
  const key: Record<string, string> = apiKey === undefined ? {} : { 'api-key': apiKey }

  async function call<Answer>(path: string, init: RequestInit, given: AbortSignal | undefined): Promise<Answer> {
    const start = performance.now()
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = given ? AbortSignal.any([given, timeout]) : timeout
    const ended = (cause: unknown): unknown => {
      if (given?.aborted) return given.reason
      if (timeout.aborted)
        return new StowageClientError('timeout', `stowage did not answer within ${timeoutMs} ms`, { status: null })
      return new StowageClientError('no_answer', 'stowage cannot be reached, or the connection broke', {
        status: null,
        cause,
      })
    }
    for (let attempt = 1; ; attempt++) {
      // A redirect would take the key elsewhere.
      const exchange = (fetch ?? globalThis.fetch)(base + path, { redirect: 'error', ...init, signal })
      const response = await exchange.catch((cause: unknown) => Promise.reject(ended(cause)))
      const text = await response.text().catch((cause: unknown) => Promise.reject(ended(cause)))
      const answer = readAnswer(response, text)
      if (!(answer instanceof StowageClientError)) return answer as Answer
      const waitMs = answer.status === 503 && answer.retryAfter !== null ? answer.retryAfter * 1_000 : null
      const isTooLate = waitMs === null || performance.now() - start + waitMs >= timeoutMs
      if (isTooLate || attempt === MOST_ATTEMPTS) throw answer
      await pause(waitMs, signal).catch((cause: unknown) => Promise.reject(ended(cause)))
    }
  }

  return {
    async context(request, { signal } = {}) {
      const headers = { ...key, 'content-type': 'application/json' }
      return call('/v1/context', { method: 'POST', headers, body: printJson(request) }, signal)
    },
    trace: async (traceId, { signal } = {}) =>
      call(`/v1/traces/${encodeURIComponent(traceId)}`, { headers: key }, signal),
  }
}

function canBeSent(key: string): boolean {
  try {
    return new Headers({ 'api-key': key }).has('api-key')
  } catch {
    return false
  }
}

/** Rejects when the signal ends it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

const LONGEST_SHOWN = 300

/** What an answer says: its body, or the error to throw. */
function readAnswer({ ok, status, headers }: Response, text: string): unknown {
  const body = parseObject(text)
  // Contexts and traces both have one.
  if (ok && typeof body?.trace_id === 'string') return body
  const retryAfter = secondsOf(headers.get('retry-after'))
  const { code, message, details } = isObject(body?.error) ? body.error : {}
  if (!ok && typeof code === 'string' && typeof message === 'string')
    return new StowageClientError(code as StowageClientError['code'], message, { status, details, retryAfter })
  const shown = text.trim().slice(0, LONGEST_SHOWN)
  const reason = `the answer with status ${status} is not that of a stowage: ${shown === '' ? 'it is empty' : shown}`
  return new StowageClientError('unexpected_answer', reason, { status, retryAfter })
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/u.test(header) ? Number(header) : null
}
