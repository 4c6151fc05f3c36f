import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { send } from './send.ts'

/** One request as the server saw it. */
export interface Recorded {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** An answer: its parts, or a function that writes (or withholds) it; null resets the connection. */
export type Reply =
  | { status?: number; body: string; headers?: Record<string, string> }
  | ((response: ServerResponse) => void)
  | null

type ReplyTo = (request: Recorded, count: number) => Reply | Promise<Reply>

/** A stand-in for any HTTP service: records what it is asked and answers as told. It does not listen yet. */
export function createRecordingServer(reply: ReplyTo): { server: Server; requests: Recorded[] } {
  const requests: Recorded[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { method = '', url: path = '', headers } = request
    const recorded = { method, path, headers, body: Buffer.concat(parts).toString() }
    const answer = await reply(recorded, requests.push(recorded))
    if (answer === null) request.socket.resetAndDestroy()
    else if (typeof answer === 'function') answer(response)
    else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  return { server, requests }
}

/** A recording server that listens on a free port. */
export async function startRecordingServer(
  reply: ReplyTo,
): Promise<{ url: string; requests: Recorded[]; close(): Promise<void> }> {
  const { server, requests } = createRecordingServer(reply)
  const url = await listen(server)
  return {
    url,
    requests,
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A reply that withholds the answer for as long as the client waits. */
export const noAnswer: Reply = () => {}

/** A reply that hands the request on to another server. */
export async function relay(url: string, { method, path, body }: Recorded): Promise<Reply> {
  const { status, text } = await send(url, method, path, method === 'GET' || method === 'HEAD' ? undefined : body)
  return { status, body: text }
}
