import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { followResponses } from './open-responses.ts'

const PROBE_MS = 500
/** Qdrant sends an answer that it has begun without such pauses. */
const SILENCE_MS = 10_000

/**
 * Answers clients that end their sending side after the request and wait, as `nc -N` does. By default Node gives them no answer.
 *
 * A client that has left looks the same, but its system refuses what it receives. So while the client waits, interim answers
 * (`100 Continue`, which every HTTP/1.1 client must accept) find out: a write after a refused one fails, the connection closes, and the
 * work ends. Within an answer, and in HTTP/1.0, there is nothing that could be sent without changing the answer. There nobody can tell both
 * clients apart, and the connection closes when the answer has not moved for `silenceMs`.
 */
export function answerHalfClosed(server: Server, silenceMs = SILENCE_MS): void {
  // Not in the types of Node. It makes the server keep a connection of which the client has ended its side.
  Object.assign(server, { httpAllowHalfOpen: true })
  const responsesOf = followResponses(server)
  server.on('connection', (socket: Socket) => socket.once('end', () => watch(socket, responsesOf(socket), silenceMs)))
}

/** Probes whether the client is there, again and again until all responses are sent. */
function watch(socket: Socket, responses: ReadonlySet<ServerResponse>, silenceMs: number): void {
  let sent = socket.bytesWritten
  let movedAt = performance.now()
  const look = () => {
    const [current] = responses
    if (current === undefined) return
    if (canProbe(current)) current.writeContinue()
    // What waits to be sent is a probe by itself: the system of the client takes or refuses it.
    if (socket.bytesWritten !== sent || socket.writableLength > 0) movedAt = performance.now()
    sent = socket.bytesWritten
    if (performance.now() - movedAt >= silenceMs) socket.destroy()
    else setTimeout(look, PROBE_MS).unref()
  }
  look()
}

/** HTTP/1.0 has no interim answers. */
function canProbe({ req, headersSent }: ServerResponse): boolean {
  return !headersSent && req.httpVersion !== '1.0'
}
