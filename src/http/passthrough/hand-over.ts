import type { PassthroughReason } from '../../core/vocabulary.ts'
import type { StepResponse } from '../step.ts'
import type { HeldAnswer } from './passthrough.ts'

/** Why a route passes a request through, and what the route has already done for it. */
interface HandOver {
  reason: PassthroughReason
  /** The bytes of the body that the route has read. */
  body?: Buffer
  /** The answer to the request, when the route has already sent it. */
  held?: HeldAnswer | null
}

/** Records why a route passes a request through. The route then calls `next()`. */
export function handOver(response: StepResponse, record: HandOver): void {
  response.locals.handOver = record
}

/** The record of `handOver`; without one, no route matched and the reason is `route`. */
export function handedOver(response: StepResponse): HandOver {
  return response.locals.handOver ?? { reason: 'route' }
}
