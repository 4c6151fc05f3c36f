import { ERRORS, type ErrorCode } from './vocabulary.ts'

/** One wrong field of a request. */
export interface RequestFault {
  /** Path in the body. */
  field: string
  message: string
  /** The value as short JSON; null when the field is absent. */
  value: string | null
}

/** The part of an error that clients see next to its message. */
export type ErrorDetails = RequestFault[] | string[] | UpstreamAnswer | { trace_id: string }

/** The answer of another server that caused the error. */
interface UpstreamAnswer {
  status?: number
  /** Seconds to wait, or the unchanged header `retry-after`. */
  retry_after?: string | number | null
}

interface ErrorExtras {
  details?: ErrorDetails
  cause?: unknown
}

/** An error with a code of the API. Clients see `message` and `details`; `cause` is only logged. */
export class StowageError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, message: string, options: ErrorExtras = {}) {
    super(message, { cause: options.cause })
    this.name = 'StowageError'
    this.code = code
    this.details = options.details
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** What the caller has to change: a request, or an option of the command line. */
export function badRequest(message: string, extras?: ErrorExtras): StowageError {
  return new StowageError('bad_request', message, extras)
}

/** The message of what was thrown, which may be no error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The error with the place of the server in its message, when a server failed; else the same error. */
export function withPlace(error: unknown, place: string): unknown {
  if (!(error instanceof StowageError) || !error.code.startsWith('upstream_')) return error
  return new StowageError(error.code, `${error.message} [${place}]`, { cause: error })
}
