import type { Response } from 'express'
import type { PassthroughReason } from '../../core/vocabulary.ts'

/** A request that a route leaves to the passthrough: why, and the bytes of its body that the route has read. */
export interface HandOver {
  reason: PassthroughReason
  body?: Buffer
}

/** Records why a route leaves its request to the passthrough. The route then calls `next()`. */
export function handOver(response: Response, left: HandOver): void {
  response.locals.handOver = left
}

/** What a route said before it called `next()`; reason `route` when no route took the request. */
export function handedOver(response: Response): HandOver {
  return response.locals.handOver ?? { reason: 'route' }
}
