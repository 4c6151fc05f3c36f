import { hostHeaderValidation } from '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js'
import type { RequestHandler } from 'express'
import { StowageError } from '../../core/errors.ts'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/u

/**
 * Keeps web pages out, also those whose name was pointed at this machine (DNS rebinding): browsers name the origin of every POST, and
 * programs name none. A connection over the loopback interface must ask for a loopback name besides.
 * @param allowedHosts more names, for a proxy on the same machine that forwards the name that it was asked for
 */
export function refuseWebPages(allowedHosts: readonly string[]): RequestHandler[] {
  const checkHost = hostHeaderValidation([...LOOPBACK_NAMES, ...allowedHosts])
  return [
    (request, _response, next) => {
      if (request.headers.origin !== undefined)
        throw new StowageError('forbidden', 'Web pages may not use this endpoint (header Origin)')
      next()
    },
    (request, response, next) => {
      if (LOOPBACK_ADDRESS.test(request.socket.localAddress ?? '')) checkHost(request, response, next)
      else next()
    },
  ]
}
