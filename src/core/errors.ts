import { ERRORS, type ErrorCode } from './vocabulary.ts'

/** One wrong field of a request: its path, the reason, and its value as short JSON (null when absent). */
export interface RequestFault {
  field: string
  message: string
  value: string | null
}

/** What a client may see of an error beside its message. */
export type ErrorDetails = RequestFault[] | string[] | UpstreamAnswer | { trace_id: string }

/** What another server answered, where that caused the error. */
export interface UpstreamAnswer {
  status?: number
  /** Seconds to wait, or the header `retry-after` as it came. */
  retry_after?: string | number | null
}

/** A failure that the caller can act on. Message and `details` are safe to show; the cause never leaves the process. */
export class StowageError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StowageError'
    this.code = code
    this.details = options.details
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}
