import type { Response } from 'express'
import type { PassthroughReason } from '../../core/vocabulary.ts'

/** Why a route passes a request through, and the bytes of its body that the route has already read. */
interface HandOver {
  reason: PassthroughReason
  body?: Buffer
}

/** Records why a route passes a request through. The route then calls `next()`. */
export function handOver(response: Response, record: HandOver): void {
  response.locals.handOver = record
}

/** The record of `handOver`; without one, no route matched and the reason is `route`. */
export function handedOver(response: Response): HandOver {
  return response.locals.handOver ?? { reason: 'route' }
}
