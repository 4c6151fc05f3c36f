import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const waiting = new WeakSet<IncomingMessage>()

/**
 * Delays `100 Continue` until the body is read. A refused upload is then never sent, and for a forwarded one Qdrant decides.
 * By default, Node sends it immediately.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    server.emit('request', request, response)
  })
  // Qdrant decides about other expectations.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** Whether the client waits for `100 Continue` before it sends the body. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request)
}

/** Sends `100 Continue` to a client that waits for it. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue()
}
