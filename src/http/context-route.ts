import type { RequestHandler } from 'express'
import { StowageError } from '../core/errors.ts'
import type { PackContext } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import { readBody } from './body/read-body.ts'
import { sendJson } from './body/send-json.ts'
import { callerOf, type TenantOf } from './caller.ts'
import { parseContextRequest } from './parse-context-request.ts'

export interface ContextRouteOptions {
  packContext: PackContext
  tenantOf: TenantOf
  /** Longest body accepted. */
  maxBytes: number
}

/** `POST /v1/context`: read, check, pack, answer. */
export function contextRoute({ packContext, tenantOf, maxBytes }: ContextRouteOptions): RequestHandler {
  return async function context(request, response) {
    const caller = callerOf(request, response, tenantOf)
    refuseCompressed(request.headers['content-encoding'])
    const { body, complete } = await readBody(request, response, maxBytes)
    if (!complete) throw new StowageError('payload_too_large', `The body is longer than ${maxBytes} bytes`)
    const answer = await packContext(parseContextRequest(body), caller)
    sendJson(request, response, 200, printJson(answer))
  }
}

function refuseCompressed(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new StowageError('bad_request', `content-encoding ${encoding} is not read here: send the JSON as it is`, {
    details: [{ field: 'content-encoding', message: 'must be absent or identity', value: encoding }],
  })
}
