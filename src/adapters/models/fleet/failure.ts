import { StowageError } from '../../../core/errors.ts'
import type { ErrorCode } from '../../../core/vocabulary.ts'
import type { NodeOutcome } from '../../../observe/metrics/rerank-nodes.ts'

/** Why a node gave no scores, with what this says about the node. */
export class NodeFailure extends StowageError {
  readonly outcome: NodeOutcome
  /** What a busy node asks for; 0 when it asks for nothing. */
  readonly retryAfterMs: number

  constructor(
    outcome: NodeOutcome,
    code: ErrorCode,
    message: string,
    { retryAfterMs = 0, ...options }: ConstructorParameters<typeof StowageError>[2] & { retryAfterMs?: number } = {},
  ) {
    super(code, message, options)
    this.outcome = outcome
    this.retryAfterMs = retryAfterMs
  }
}
