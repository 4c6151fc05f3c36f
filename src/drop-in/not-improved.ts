import type { PassthroughReason } from '../core/vocabulary.ts'

/** Stops improving a request; the client's original request is forwarded instead. The message is for the log. */
export class NotImproved extends Error {
  readonly reason: PassthroughReason
  /** That Qdrant has refused with; null for another reason. */
  readonly status: number | null

  constructor(
    reason: PassthroughReason,
    detail: string,
    { status = null, ...options }: ErrorOptions & { status?: number | null } = {},
  ) {
    super(detail, options)
    this.reason = reason
    this.status = status
  }
}
