import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Recorded {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Reply {
  status?: number
  body: string
  headers?: Record<string, string>
}

/** A server that records what it is asked; a null reply closes the connection without a word, 'never' lets the client wait. */
export async function startRecordingServer(
  reply: (request: Recorded, count: number) => Reply | null | 'never' | Promise<Reply | null>,
): Promise<{ url: string; requests: Recorded[]; close(): Promise<void> }> {
  const requests: Recorded[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    const recorded = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    requests.push(recorded)
    const answer = await reply(recorded, requests.length)
    if (answer === 'never') return
    if (answer === null) request.socket.resetAndDestroy()
    else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A reply that hands the request on to another server. */
export async function relay(url: string, request: Recorded): Promise<Reply> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  const response = await fetch(url + request.path, {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    ...(hasBody ? { body: request.body } : {}),
  })
  return { status: response.status, body: await response.text() }
}
