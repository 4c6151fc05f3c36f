import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getOrInsert } from '../../core/collections.ts'

/** The responses of a connection that are not sent yet, in the order of their requests. */
export type OpenResponses = (socket: Duplex) => ReadonlySet<ServerResponse>

/** Follows the responses of a server from now on. */
export function followResponses(server: Server): OpenResponses {
  const open = new WeakMap<Duplex, Set<ServerResponse>>()
  const responsesOf = (socket: Duplex) => getOrInsert(open, socket, () => new Set())
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = responsesOf(socket)
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
  return responsesOf
}
