import { eitherSignal } from '../../core/either-signal.ts'
import { jsonHeaders, type QdrantHttp, READ_TIMEOUT_MS, textOf } from '../../qdrant/client.ts'
import { lateAnswer, notUnderstood } from '../../qdrant/errors.ts'
import { isRead } from '../../qdrant/paths.ts'
import { members, RawJsonError } from '../../qdrant/raw-json.ts'
import { retryOnce } from '../retry-once.ts'

/** A write of many points may take minutes. */
const WRITE_TIMEOUT_MS = 300_000

/** Sends a request and returns the raw `result` of its answer. @throws StowageError */
type SendRequest = (method: 'GET' | 'POST' | 'PUT', path: string, body: string | null) => Promise<string>

export interface RequestsOptions {
  http: QdrantHttp
  apiKey: string | null
  /** Ends requests that nobody waits for any more. */
  signal?: AbortSignal | undefined
  /** Longest time of each request in milliseconds. Default: a minute for a read, five for a write. */
  timeoutMs?: number | undefined
}

/** Requests that can all be repeated, writes too: they set values that do not depend on what is there. */
export function createRequests({ http, apiKey, signal: given, timeoutMs }: RequestsOptions): SendRequest {
  return async (method, path, body) => {
    const longestMs = timeoutMs ?? (isRead(method, path) ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS)
    const timeout = AbortSignal.timeout(longestMs)
    const { signal, dispose } = given === undefined ? { signal: timeout, dispose() {} } : eitherSignal(given, timeout)
    const request = { method, path, headers: jsonHeaders(apiKey, body), body, signal }
    const answer = await retryOnce(() => http.readRaw(request), signal)
      .catch(error => Promise.reject(timeout.aborted ? lateAnswer(longestMs, error) : error))
      .finally(dispose)
    return rawResult(textOf(answer))
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
