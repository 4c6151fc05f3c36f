import type { Server, ServerResponse } from 'node:http'
import { followResponses } from './open-responses.ts'

/** As Node answers by default: these statuses by the code of the error, 400 for all others. */
const STATUS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/**
 * Refuses bytes that are no HTTP request, and ends their connection. The requests before them get their answers first, as from Qdrant. By default,
 * Node sends its refusal in the place of an answer that is under way.
 */
export function refuseUnreadable(server: Server): void {
  const responsesOf = followResponses(server)
  const refused = new WeakSet<object>()
  server.on('clientError', async ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // Each further part of such bytes is an error again.
    if (refused.has(socket)) return
    refused.add(socket)
    const open = [...responsesOf(socket)]
    await Promise.all(open.filter(({ req }) => req.complete).map(whenClosed))
    // Within an answer that has begun, a refusal would look like a part of it.
    const hasBegun = open.some(({ req, headersSent }) => !req.complete && headersSent)
    if (hasBegun || !socket.writable) socket.destroy()
    else
      socket.end(`HTTP/1.1 ${STATUS[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`, () => socket.destroy())
  })
}

function whenClosed(response: ServerResponse): Promise<void> {
  return new Promise(resolve => response.once('close', resolve))
}
