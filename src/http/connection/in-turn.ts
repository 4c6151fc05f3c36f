import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Hands the requests of a connection on one after the other, each when the response before it is sent. By default, Node hands on at once what a
 * client sends without waiting (pipelining): a read could then overtake the write before it. Requests that can no longer be answered are dropped.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const latest = new WeakMap<Socket, ServerResponse>()
  return (request, response) => {
    const { socket } = request
    const before = latest.get(socket)
    latest.set(socket, response)
    if (before === undefined || before.closed) return listener(request, response)
    before.once('close', () => (socket.writable ? listener(request, response) : drop(response)))
  }
}

/** A response that waits for its turn on a connection is not told by Node that the connection has ended. */
function drop(response: ServerResponse): void {
  response.destroy()
  response.emit('close')
}
