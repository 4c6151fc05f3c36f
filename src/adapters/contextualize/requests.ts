import { eitherSignal } from '../../core/either-signal.ts'
import { jsonHeaders, type QdrantHttp, textOf } from '../../qdrant/client.ts'
import { notUnderstood } from '../../qdrant/errors.ts'
import { members, RawJsonError } from '../../qdrant/raw-json.ts'
import { retryOnce } from '../retry-once.ts'

/** A write of many points, or the answer of a busy server, may take minutes. */
const TIMEOUT_MS = 300_000

/** Sends a request and returns the raw `result` of its answer. @throws StowageError */
type SendRequest = (method: 'GET' | 'POST' | 'PUT', path: string, body: string | null) => Promise<string>

export interface RequestsOptions {
  http: QdrantHttp
  apiKey: string | null
  /** Ends requests that nobody waits for any more. */
  signal?: AbortSignal | undefined
  /** Longest time of each request in milliseconds. Default: 5 minutes. */
  timeoutMs?: number | undefined
}

/** Requests that can all be repeated, writes too: they set values that do not depend on what is there. */
export function createRequests({ http, apiKey, signal: given, timeoutMs = TIMEOUT_MS }: RequestsOptions): SendRequest {
  return async (method, path, body) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const { signal, dispose } = given === undefined ? { signal: timeout, dispose() {} } : eitherSignal(given, timeout)
    const request = { method, path, headers: jsonHeaders(apiKey, body), body, signal }
    return rawResult(textOf(await retryOnce(() => http.readRaw(request), signal).finally(dispose)))
  }
}

function rawResult(text: string): string {
  try {
    const result = members(text).get('result')
    if (result !== undefined) return result
  } catch (error) {
    if (!(error instanceof RawJsonError)) throw error
  }
  throw notUnderstood(text.slice(0, 200))
}
