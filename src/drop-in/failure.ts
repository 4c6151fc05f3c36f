/** Why an answer was not improved, for `x-stowage-degraded`, metrics and the log. */
export type PassthroughCode =
  | 'body_too_large'
  | 'body_not_json'
  | 'query_not_understood'
  | 'upstream_refused'
  | 'upstream_unreachable'
  | 'upstream_malformed'
  | 'deadline'
  | 'pipeline_failed'
  | 'nothing_chosen'

/** Ends the attempt to improve a request: the client's original is to be sent instead. */
export class NotImproved extends Error {
  readonly code: PassthroughCode

  constructor(code: PassthroughCode, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.code = code
  }
}
