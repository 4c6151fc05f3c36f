/** The kinds of errors of text-embeddings-inference, as its answers spell them, with their statuses. */
export const FAILURE_STATUS = {
  Unhealthy: 503,
  Backend: 424,
  Overloaded: 429,
  Validation: 413,
  Tokenizer: 422,
  Empty: 400,
} as const
export type FailureKind = keyof typeof FAILURE_STATUS

/** An error that the client sees as `{"error":…,"error_type":…}`. */
export class RequestFailure extends Error {
  readonly kind: FailureKind
  readonly status: number

  constructor(kind: FailureKind, message: string, status: number = FAILURE_STATUS[kind]) {
    super(message)
    this.name = 'RequestFailure'
    this.kind = kind
    this.status = status
  }
}
