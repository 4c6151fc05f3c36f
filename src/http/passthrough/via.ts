import type { RequestHandler } from 'express'
import { sendQdrantError } from '../body/send-json.ts'

/** This proxy's name in `Via` (RFC 9110, 7.6.3). */
const NAME = 'stowage'

/** This proxy's own field as a raw pair. It follows those that the request came with. */
export const OWN_VIA = ['via', `1.1 ${NAME}`] as const

/** Refuses a request that this proxy has forwarded before, because forwarding it would not end. */
export function refuseLoops(onLoop: () => void): RequestHandler {
  return function refuseLoop(request, response, next) {
    if (!passedHere(request.headers.via)) return next()
    onLoop()
    sendQdrantError(request, response, 502, `Request loop: ${NAME} was asked to forward its own request (Via)`)
  }
}

/** A hop is `1.1 name (comment)`. */
function passedHere(via = ''): boolean {
  return via.split(',').some(hop => hop.trim().split(/\s+/)[1]?.toLowerCase() === NAME)
}
