import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../../support/listen.ts'

/** Stands between stowage and Unleash, and decides which refreshes see what has changed. So they can be counted, not timed. */
export interface RefreshGate {
  /** What `UNLEASH_URL` takes. */
  url: string
  /** From now on, refreshes are answered with 304: nothing has changed. */
  shut(): void
  /** From now on, all refreshes reach Unleash. */
  open(): void
  /** Lets one refresh of a shut gate reach Unleash, and resolves when it is answered. */
  letOneThrough(): Promise<void>
  close(): Promise<void>
}

/** Opens a gate before the API of Unleash, such as `http://127.0.0.1:4242/api`. It begins open. */
export async function openRefreshGate(unleashUrl: string): Promise<RefreshGate> {
  let isOpen = true
  const waiting: (() => void)[] = []

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.entries(request.headers).filter(
      ([name, value]) => typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name),
    ) as [string, string][]
    const answer = await fetch(new URL(unleashUrl).origin + request.url, {
      method: request.method ?? 'GET',
      headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    const kept = ['content-type', 'etag'].flatMap(name => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(kept)).end(body)
  }

  const server = createServer((request, response) => {
    const isRefresh = request.method === 'GET' && request.url?.includes('/client/features')
    const answered = isRefresh && !isOpen ? waiting.shift() : undefined
    if (isRefresh && !isOpen && answered === undefined) return void response.writeHead(304).end()
    if (answered) response.once('close', answered)
    forward(request, response).catch(() => response.destroy())
  })
  const origin = await listen(server)
  return {
    url: origin + new URL(unleashUrl).pathname,
    shut: () => {
      isOpen = false
    },
    open: () => {
      isOpen = true
    },
    letOneThrough: () => new Promise(resolve => waiting.push(resolve)),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
