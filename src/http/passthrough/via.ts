import { randomUUID } from 'node:crypto'
import { sendQdrantError } from '../body/send-json.ts'
import type { Step } from '../step.ts'

/** The name of this process in `Via` (RFC 9110, 7.6.3). It differs between processes, so that two can stand in a row. */
const NAME = `stowage-${randomUUID().slice(0, 8)}`

/** The `Via` field of this proxy as a raw pair. It is added after those of the request. */
export const OWN_VIA = ['via', `1.1 ${NAME}`] as const

/** Refuses a request that this process has already forwarded. */
export function refuseLoops(onLoop: () => void): Step {
  return function refuseLoop(request, response, next) {
    if (!hasPassedHere(request.headers.via)) return next()
    onLoop()
    sendQdrantError(request, response, 502, `Request loop: ${NAME} received its own request (Via)`)
  }
}

/** Each hop has the form `1.1 name (comment)`. */
function hasPassedHere(via = ''): boolean {
  return via.split(',').some(hop => hop.trim().split(/\s+/)[1]?.toLowerCase() === NAME)
}
