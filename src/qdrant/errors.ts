import { StowageError } from '../core/errors.ts'
import type { ErrorCode } from '../core/vocabulary.ts'

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'collection_not_found',
  408: 'upstream_timeout',
  422: 'unprocessable',
  429: 'too_many_requests',
}

/**
 * An answer that is not 2xx as an error with Qdrant's own text and `details.status`. What the caller can mend (his filter,
 * his key, his collection's name) keeps its meaning; all else is `upstream_error`.
 */
export function statusFailure(status: number, body: string, retryAfter: string | null = null): StowageError {
  return new StowageError(CODE_OF_STATUS[status] ?? 'upstream_error', `Qdrant: ${errorText(body) || status}`, {
    details: retryAfter === null ? { status } : { status, retry_after: retryAfter },
  })
}

/** A failure to get any answer at all. A call that was aborted, by its deadline or its client, is late whatever the reason. */
export function failureOf(error: unknown, url: string, aborted = false): StowageError {
  if (error instanceof StowageError) return error
  const code = errorCode(error)
  if (aborted || isTimeout(error, code)) {
    return new StowageError('upstream_timeout', `Qdrant at ${bare(url)} did not answer in time`, { cause: error })
  }
  return new StowageError('upstream_unavailable', `Qdrant at ${bare(url)} cannot be reached (${code})`, {
    cause: error,
  })
}

/** Whether the connection broke, as an idle one does when the server closes it just as a request is sent. */
export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(errorCode(error))
}

/** The status of the answer behind an error; null when there was none. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof StowageError)) return null
  const { details } = error
  if (typeof details !== 'object' || details === null || !('status' in details)) return null
  return typeof details.status === 'number' ? details.status : null
}

/** Qdrant's error text: from its JSON envelope, or the plain text of a refused key. */
function errorText(body: string): string {
  try {
    const status: unknown = JSON.parse(body)?.status
    if (typeof status === 'object' && status !== null && 'error' in status) return String(status.error)
  } catch {
    return body.slice(0, 500).trim()
  }
  return ''
}

/** The system's or undici's code, which fetch hides one cause down. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause instanceof Error ? errorCode(error.cause) : error.name
}

function isTimeout(error: unknown, code: string): boolean {
  const name = error instanceof Error ? error.name : ''
  return /Abort|Timeout/.test(name) || /^UND_ERR_(ABORTED|HEADERS_TIMEOUT|BODY_TIMEOUT)$/.test(code)
}

/** The URL without what may be secret in it. */
function bare(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
