import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const waiting = new WeakSet<IncomingMessage>()

/**
 * Leaves it to whoever reads the body to say `100 Continue`: a refused upload is then never sent,
 * and a passed-through one gets the upstream's own word. Without this, Node says it at once.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    server.emit('request', request, response)
  })
  // Other expectations are for the upstream to judge.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** Whether the client still waits for `100 Continue` before it sends the body. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request)
}

/** Asks a waiting client for its body; does nothing for others. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue()
}
