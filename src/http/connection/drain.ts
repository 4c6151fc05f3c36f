import type { RequestListener, Server, ServerResponse } from 'node:http'
import net, { type Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { shortTurn, untilPortIsQuiet } from './quiet-port.ts'

/** At the end, an idle connection stays this long: the next request may be on its way, and would be lost with its connection. */
export const IDLE_MS = 500

/**
 * Ends a server. @param graceMs time for open requests, from when the port is closed
 * @param untilQuiet resolves when no connection waits to be accepted. Default: this process alone accepts
 */
export type Drain = (graceMs: number, untilQuiet?: Promise<void>) => Promise<void>

/** Old clients send an empty line behind a body. */
const EMPTY_LINE_BYTES = 2

/** What is known of a connection. */
interface Connection {
  /** Requests that are not answered yet, or have not come to their end. */
  open: number
  /** Bytes that had come when the last of them had ended. More are the beginning of the next request. */
  bytesRead: number
  /** The response to the last request that has come, while it is open. */
  last: ServerResponse | null
  /** The one that is to say that the connection closes, while its headers are not sent. */
  closing: ServerResponse | null
}

/**
 * Lets `app` answer the requests of a server until it is ended, and ends it without losing one:
 *
 * 1. It accepts what has connected. Requests that come meanwhile wait, so that the turns of the event loop are short, and no answered client connects again.
 * 2. The port closes. From now on the answer to the last request of a connection says that it is the last one.
 * 3. A connection closes when nothing is open on it and `IDLE_MS` have passed, counted from its last answer if that had begun too early to say so.
 *
 * `closeIdleConnections` of Node does not wait, and breaks answers that are complete but not sent yet.
 */
export function prepareDrain(server: Server, app: RequestListener): Drain {
  const connections = new Map<Socket, Connection>()
  let accepted = 0
  let stage: 'open' | 'accepting' | 'closed' = 'open'
  const held: (() => void)[] = []

  const closeWhenIdle = (socket: Socket, connection: Connection) =>
    setTimeout(async () => {
      await shortTurn()
      if (connection.open === 0 && socket.bytesRead - connection.bytesRead <= EMPTY_LINE_BYTES) socket.destroy()
    }, IDLE_MS).unref()

  server.on('connection', (socket: Socket) => {
    accepted++
    const connection: Connection = { open: 0, bytesRead: 0, last: null, closing: null }
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (connection) {
      connection.open++
      connection.last = response
      if (stage === 'closed') announceClose(connection)
      // An upload can go on behind its answer.
      afterBoth(request, response, () => {
        connection.open--
        if (connection.last === response) connection.last = null
        connection.bytesRead = socket.bytesRead
        if (stage === 'closed') closeWhenIdle(socket, connection)
      })
    }
    const answer = () => app(request, response)
    if (stage === 'accepting') held.push(() => response.destroyed || answer())
    else answer()
  })

  return async (graceMs, untilQuiet = untilPortIsQuiet(() => accepted)) => {
    stage = 'accepting'
    await untilQuiet
    const closed = new Promise<unknown>(resolve => net.Server.prototype.close.call(server, resolve))
    stage = 'closed'
    for (const [socket, connection] of connections) {
      announceClose(connection)
      closeWhenIdle(socket, connection)
    }
    for (const answer of held.splice(0)) answer()
    const giveUp = setTimeout(() => server.closeAllConnections(), graceMs)
    await closed
    clearTimeout(giveUp)
    // Ends what `http.Server` has beside its connections.
    server.close()
  }
}

/** Has the last response of a connection say that it closes, and no earlier one: those of the requests behind it would be lost. */
function announceClose(connection: Connection): void {
  const { closing, last } = connection
  if (closing !== null && !closing.headersSent) closing.shouldKeepAlive = true
  connection.closing = last?.shouldKeepAlive && !last.headersSent ? last : null
  if (connection.closing !== null) connection.closing.shouldKeepAlive = false
}

/** Calls the listener when both streams are closed. */
function afterBoth(request: Readable, response: Writable, listener: () => void): void {
  let left = 2
  for (const stream of [request, response]) stream.once('close', () => --left > 0 || listener())
}
