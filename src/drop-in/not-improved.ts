import type { PassthroughReason } from '../core/vocabulary.ts'

/** Stops improving a request; the client's original request is forwarded instead. The message is for the log. */
export class NotImproved extends Error {
  readonly reason: PassthroughReason

  constructor(reason: PassthroughReason, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.reason = reason
  }
}
