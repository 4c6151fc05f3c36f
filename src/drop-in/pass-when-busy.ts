import type { RequestHandler } from 'express'
import { handOver } from '../http/passthrough/hand-over.ts'
import type { Limit } from '../pipeline/load/limit.ts'

/** Improves only as many searches at a time as the limit allows. The others pass through at once instead of waiting. */
export function passWhenBusy(improve: RequestHandler, limit: Limit): RequestHandler {
  return function improveOrPass(request, response, next) {
    const leave = limit.enter()
    if (leave === null) {
      response.setHeader('x-stowage-applied', 'passthrough').setHeader('x-stowage-degraded', 'overloaded')
      handOver(response, { reason: 'overloaded' })
      return next()
    }
    let left = false
    const leaveOnce = () => {
      if (!left) leave()
      left = true
    }
    response.once('close', leaveOnce)
    return improve(request, response, error => {
      leaveOnce()
      next(error)
    })
  }
}
