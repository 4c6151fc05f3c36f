import type { RequestHandler } from 'express'
import { badRequest } from '../core/errors.ts'
import type { Reporter } from '../observe/events.ts'
import type { Assignment } from '../pipeline/plan/assignment.ts'
import type { PackContext } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import { readWholeBody } from './body/read-body.ts'
import { sendJson } from './body/send-json.ts'
import { callerOf, countRefusal } from './caller.ts'
import { tracedAs } from './observe-requests.ts'
import { parseContextRequest } from './parse-context-request.ts'
import { isReplay, showVariant } from './variant.ts'

interface ContextRouteOptions {
  packContext: PackContext
  maxContextBytes?: number
  reporter: Pick<Reporter, 'guardRefused'>
}

/** `POST /v1/context`. */
export function contextRoute({
  packContext,
  reporter,
  maxContextBytes = 4 * 1024 * 1024,
}: ContextRouteOptions): RequestHandler {
  return async function context(request, response) {
    const caller = callerOf(request, response)
    refuseCompressed(request.headers['content-encoding'])
    const body = await readWholeBody(request, response, maxContextBytes)
    const onAssigned = (assignment: Assignment) => showVariant(response, assignment)
    const asking = { ...caller, isReplay: isReplay(request), onAssigned }
    const answer = await packContext(parseContextRequest(body), asking).catch(error =>
      countRefusal(error, caller, reporter),
    )
    tracedAs(response, { traceId: answer.trace_id, degraded: answer.degraded.map(({ code }) => code) })
    sendJson(request, response, 200, printJson(answer))
  }
}

function refuseCompressed(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw badRequest(`content-encoding ${encoding} is not supported: send uncompressed JSON`, {
    details: [{ field: 'content-encoding', message: 'must be absent or identity', value: encoding }],
  })
}
