import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getOrInsert } from '../../core/collections.ts'

/**
 * So many requests of a connection may wait for their turn before it is read no further. Those of one part of it, 64 KiB, can come on top. While it is not
 * read, a client that leaves is noticed only when its next answer is sent.
 */
const MOST_WAITING = 16

/**
 * Hands the requests of a connection on one after the other, each when the response before it is sent. By default, Node hands on at once what a
 * client sends without waiting (pipelining): a read could then overtake the write before it. Requests that can no longer be answered are dropped.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Turns>()
  return (request, response) => {
    const { socket } = request
    getOrInsert(connections, socket, () => new Turns(socket, listener)).add({ request, response })
  }
}

interface Turn {
  request: IncomingMessage
  response: ServerResponse
}

/** The requests of one connection that are not answered yet. */
class Turns {
  readonly #socket: Socket
  readonly #listener: RequestListener
  readonly #waiting: Turn[] = []
  #isBusy = false

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket
    this.#listener = listener
    // Node goes on reading for each body.
    socket.on('resume', () => this.#pauseWhenFull())
  }

  add(turn: Turn): void {
    if (this.#isBusy) {
      this.#waiting.push(turn)
      this.#pauseWhenFull()
    } else this.#begin(turn)
  }

  #begin({ request, response }: Turn): void {
    this.#isBusy = true
    // What others do at the end of a response is done before the next request begins.
    response.once('close', () => process.nextTick(() => this.#next()))
    this.#listener(request, response)
  }

  #next(): void {
    this.#isBusy = false
    if (!this.#socket.writable) for (const { response } of this.#waiting.splice(0)) drop(response)
    const turn = this.#waiting.shift()
    if (turn === undefined) return
    this.#begin(turn)
    if (this.#waiting.length === MOST_WAITING - 1) this.#socket.resume()
  }

  #pauseWhenFull(): void {
    if (this.#waiting.length >= MOST_WAITING) this.#socket.pause()
  }
}

/** A response that waits for its turn on a connection is not told by Node that the connection has ended. */
function drop(response: ServerResponse): void {
  response.destroy()
  response.emit('close')
}
