import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const PROBE_MS = 500

/**
 * Answers clients that end their sending side after the request and wait, as `nc -N` does. By default Node gives them no answer.
 *
 * A client that has left looks the same, but its system refuses what it receives. So while the client waits, interim answers
 * (`100 Continue`, which every HTTP/1.1 client must accept) find out: a write after a refused one fails, the connection closes, and the
 * work ends.
 */
export function answerHalfClosed(server: Server): void {
  // Not in the types of Node. It makes the server keep a connection of which the client has ended its side.
  Object.assign(server, { httpAllowHalfOpen: true })
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>()
  server.on('connection', (socket: Socket) => {
    const responses = new Set<ServerResponse>()
    unanswered.set(socket, responses)
    socket.once('end', () => probe(responses))
  })
  server.on('request', ({ socket, httpVersion }: IncomingMessage, response: ServerResponse) => {
    // HTTP/1.0 has no interim answers.
    if (httpVersion === '1.0') return
    const responses = unanswered.get(socket)
    responses?.add(response)
    response.once('close', () => responses?.delete(response))
  })
}

/** Writes an interim answer before the first of the responses, again and again until all of them are sent. */
function probe(responses: ReadonlySet<ServerResponse>): void {
  const [current] = responses
  if (current === undefined) return
  if (!current.headersSent) current.writeContinue()
  setTimeout(() => probe(responses), PROBE_MS).unref()
}
