/** The one table of error codes and their HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  collection_not_found: 404,
  not_found: 404,
  payload_too_large: 413,
  unprocessable: 422,
  too_many_requests: 429,
  internal: 500,
  upstream_error: 502,
  upstream_unavailable: 503,
  upstream_timeout: 504,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** A failure that a caller can act on. `details` is safe to show; a cause never leaves the process. */
export class StowageError extends Error {
  readonly code: ErrorCode
  readonly details: unknown

  constructor(code: ErrorCode, message: string, options: { details?: unknown; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StowageError'
    this.code = code
    this.details = options.details
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }
}
