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

/**
 * An exchange that failed, as an error whose text names no address; the cause has it. No connection: `upstream_unavailable`.
 * A connection that broke, or an answer that is not HTTP: `upstream_error`. Late, or `aborted` by its deadline or its client:
 * `upstream_timeout`. A `StowageError` stays as it is.
 */
export function failureOf(error: unknown, aborted = false): StowageError {
  if (error instanceof StowageError) return error
  const cause = rootOf(error)
  const code = codeOf(cause)
  const failure = (kind: ErrorCode, message: string) => new StowageError(kind, message, { cause: error })
  if (aborted || isTimeout(cause, code)) return failure('upstream_timeout', 'Qdrant did not answer in time')
  if (isUnreachable(cause)) return failure('upstream_unavailable', `Qdrant cannot be reached (${code})`)
  if (isReset(cause)) return failure('upstream_error', 'Qdrant closed the connection before it answered')
  if (code.startsWith('HPE_')) return failure('upstream_error', `Qdrant's answer is not valid HTTP (${code})`)
  return failure('upstream_error', `The exchange with Qdrant failed (${code})`)
}

/** An answer that has not the shape it should have. */
export function notUnderstood(detail: string): StowageError {
  return new StowageError('upstream_error', `Qdrant's answer was not understood: ${detail}`)
}

/** Whether the connection broke, as an idle one does when the server closes it just as a request is sent. */
export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(rootOf(error)))
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

/** What happened in the first place: fetch hides it one cause down, and Node tries several addresses of one host. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0])
  const hides = error instanceof Error && !('code' in error) && error.cause instanceof Error
  return hides ? rootOf(error.cause) : error
}

/** The system's or undici's code, else the error's name. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}

function isTimeout(cause: unknown, code: string): boolean {
  const name = cause instanceof Error ? cause.name : ''
  return /Abort|Timeout/.test(name) || /^(?:ETIMEDOUT|UND_ERR_(?:ABORTED|(?:CONNECT|HEADERS|BODY)_TIMEOUT))$/.test(code)
}

/** Whether the host's name was not found or no connection to it could be made. */
function isUnreachable(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && ['connect', 'getaddrinfo'].includes(String(cause.syscall))
}
