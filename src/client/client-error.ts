import type { ErrorCode } from '../core/vocabulary.ts'

/** What can go wrong before or instead of an answer of stowage. */
type Fault = 'timeout' | 'no_answer' | 'unexpected_answer'

interface ErrorFacts {
  /** Null without an answer. */
  status: number | null
  details?: unknown
  /** Seconds. */
  retryAfter?: number | null
  cause?: unknown
}

/** A call that failed. `message` never holds a key. */
export class StowageClientError extends Error {
  /** The HTTP status; null when no answer came. */
  readonly status: number | null
  /**
   * A code of the API, or `timeout` (no answer in time), `no_answer` (not reachable, or the connection broke), `unexpected_answer` (the
   * answer is not that of a stowage).
   */
  readonly code: ErrorCode | Fault
  /** What stowage says beside the message: for a wrong request, a list of `{ field, message, value }`. */
  readonly details: unknown
  /** Seconds after which stowage asks to try again; null when it does not say. */
  readonly retryAfter: number | null

  constructor(code: ErrorCode | Fault, message: string, { status, details, retryAfter = null, cause }: ErrorFacts) {
    super(message, { cause })
    this.name = 'StowageClientError'
    this.code = code
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
  }
}
