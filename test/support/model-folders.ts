import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export const TINY_CROSS_ENCODER = path('../fixtures/models/tiny-cross-encoder')
export const TINY_EMBEDDER = path('../fixtures/models/tiny-embedder')
export const SHIPPED_RERANKER = path('../../models/stowage-reranker')
export const SHIPPED_EMBEDDER = path('../../models/stowage-embedder')

/** Whether a shipped model is in this clone; when it is not, the log says which tests therefore did not run. */
export function isShipped(folder: string): boolean {
  const present = existsSync(`${folder}/config.json`) && existsSync(`${folder}/onnx`)
  if (!present) console.log(`${folder} is not in this clone: its tests did not run`)
  return present
}

export interface FakeAnswer {
  status?: number
  headers?: Record<string, string>
  /** JSON, or a string to send as it is. */
  body: unknown
  delayMs?: number
}

export interface FakeServer {
  url: string
  requests: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[]
  close(): Promise<void>
}

/** An HTTP server on loopback that answers each JSON request as told, and keeps what it was asked. */
export async function startFakeServer(
  answer: (body: Record<string, unknown>, path: string) => FakeAnswer,
): Promise<FakeServer> {
  const requests: FakeServer['requests'] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as Record<string, unknown>
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    const { status = 200, headers = {}, body: content, delayMs = 0 } = answer(body, request.url ?? '')
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof content === 'string' ? content : JSON.stringify(content))
    }, delayMs)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const NEVER = new AbortController().signal
export const noSignal = (): AbortSignal => NEVER
