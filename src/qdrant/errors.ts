import { StowageError } from '../core/errors.ts'
import type { ErrorCode } from '../core/vocabulary.ts'
import { isObject } from './json.ts'

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'collection_not_found',
  408: 'upstream_timeout',
  422: 'unprocessable',
  501: 'unprocessable',
  429: 'too_many_requests',
}

/** The process, or the machine, has too many open files and connections. */
const NO_DESCRIPTORS: readonly string[] = ['EMFILE', 'ENFILE']

/**
 * Converts an answer that is not 2xx to an error with Qdrant's text and `details.status`. Faults that the client can fix (its
 * filter, key or collection name) keep their meaning; all others are `upstream_error`.
 */
export function statusFailure(status: number, body: string, retryAfter: string | null = null): StowageError {
  return new StowageError(CODE_OF_STATUS[status] ?? 'upstream_error', `Qdrant: ${errorText(body) || status}`, {
    details: retryAfter === null ? { status } : { status, retry_after: retryAfter },
  })
}

/**
 * Converts a failed exchange to an error: `upstream_unavailable` without a connection, `upstream_timeout` when it was too late
 * or aborted by the deadline of the request, else `upstream_error`. Only the cause names the address. A `StowageError` is returned unchanged.
 */
export function failureOf(error: unknown, aborted = false): StowageError {
  if (error instanceof StowageError) return error
  const cause = rootOf(error)
  const code = codeOf(cause)
  const failure = (kind: ErrorCode, message: string) => new StowageError(kind, message, { cause: error })
  // Nobody reads this when the client has left, so it is the deadline of the request.
  if (aborted) return failure('upstream_timeout', 'The deadline of the request passed before Qdrant answered')
  if (isTimeout(cause, code)) return failure('upstream_timeout', 'Qdrant did not answer in time')
  if (NO_DESCRIPTORS.includes(code))
    return failure(
      'upstream_unavailable',
      `stowage has no file descriptor left to reach Qdrant (${code}, see ulimit -n)`,
    )
  if (isUnreachable(cause)) return failure('upstream_unavailable', `Qdrant cannot be reached (${code})`)
  if (isReset(cause)) return failure('upstream_error', 'Qdrant closed the connection before it answered')
  if (isTooLarge(error)) return failure('upstream_error', "Qdrant's answer is larger than stowage reads")
  if (code.startsWith('HPE_')) return failure('upstream_error', `Qdrant's answer is not valid HTTP (${code})`)
  return failure('upstream_error', `The exchange with Qdrant failed (${code})`)
}

/** An error for an answer that a command has waited for so long. */
export function lateAnswer(milliseconds: number, cause: unknown): StowageError {
  return new StowageError('upstream_timeout', `Qdrant did not answer within ${milliseconds / 1000} s`, { cause })
}

/** An error for an answer of an unexpected shape. */
export function notUnderstood(detail: string): StowageError {
  return new StowageError('upstream_error', `Qdrant's answer was not understood: ${detail}`)
}

/** Whether the connection broke, for example because the server closed an idle one while a request was sent. */
export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(rootOf(error)))
}

/** Whether an exchange failed because the answer was longer than the client reads. */
export function isTooLarge(error: unknown): boolean {
  const failure = error instanceof StowageError ? error.cause : error
  return codeOf(rootOf(failure)) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
}

/** The HTTP status that Qdrant answered with; null when the error has none. */
export function statusOf(error: unknown): number | null {
  const { status } = answerIn(error)
  return typeof status === 'number' ? status : null
}

/** The header `retry-after` that Qdrant answered with; null when the error has none. */
export function retryAfterOf(error: unknown): string | null {
  const { retry_after: retryAfter } = answerIn(error)
  return typeof retryAfter === 'string' ? retryAfter : null
}

function answerIn(error: unknown): Record<string, unknown> {
  const details: unknown = error instanceof StowageError ? error.details : null
  return isObject(details) ? details : {}
}

/** Why an exchange failed, for the log: what Qdrant writes in an answer can quote the request, so it is not among it. */
export function causeOf(error: StowageError): string {
  const status = statusOf(error)
  if (status !== null) return `Qdrant answers ${status}`
  const cause = rootOf(error.cause)
  if (cause instanceof StowageError) return causeOf(cause)
  return cause instanceof Error && cause.message !== '' ? `${error.code}: ${cause.message}` : error.code
}

/** The error text of Qdrant's JSON envelope. A refused key is answered in plain text. */
function errorText(body: string): string {
  try {
    const status: unknown = JSON.parse(body)?.status
    if (isObject(status) && 'error' in status) return String(status.error)
  } catch {
    return body.slice(0, 500).trim()
  }
  return ''
}

/** The first error of a chain: fetch hides it in `cause`, and Node tries several addresses of one host. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0])
  const hides = error instanceof Error && !('code' in error) && error.cause instanceof Error
  return hides ? rootOf(error.cause) : error
}

/** The code of the system or of undici, else the name of the error. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}

function isTimeout(cause: unknown, code: string): boolean {
  const name = cause instanceof Error ? cause.name : ''
  return /Abort|Timeout/.test(name) || /^(?:ETIMEDOUT|UND_ERR_(?:ABORTED|(?:CONNECT|HEADERS|BODY)_TIMEOUT))$/.test(code)
}

/** Whether the host was not found or refused the connection. */
function isUnreachable(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && ['connect', 'getaddrinfo'].includes(String(cause.syscall))
}

/**
 * Whether an answer of Qdrant concerns the request of a tenant. The text of a failure may name what is of others, and a refusal is one of the
 * upstream key.
 */
export function concernsRequest(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 401 && status !== 403)
}

/** The same error, or `upstream_error` for a refusal of the upstream key, which a tenant does not know. @param tenant null without one */
export function withoutUpstreamKey(error: unknown, { tenant }: { tenant: object | null }): unknown {
  if (tenant === null || (statusOf(error) !== 401 && statusOf(error) !== 403)) return error
  return new StowageError('upstream_error', 'Qdrant refused the key of stowage', { cause: error })
}
