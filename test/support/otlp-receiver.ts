import { createServer, type RequestListener } from 'node:http'
import { listen } from './listen.ts'

/** A span as OTLP/HTTP in JSON says it, with its attributes as an object. */
export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code: number }
  attributes: Record<string, unknown>
}

interface OtlpValue {
  arrayValue?: { values: OtlpValue[] }
  [kind: string]: unknown
}

/** A receiver of OTLP over HTTP that keeps what it gets. Spans in JSON are decoded. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const requests: { path: string; type: string; body: Buffer }[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request
      .on('data', part => parts.push(part))
      .on('end', () => {
        const body = Buffer.concat(parts)
        const type = request.headers['content-type'] ?? ''
        requests.push({ path: request.url ?? '', type, body })
        if (type === 'application/json') spans.push(...decode(JSON.parse(body.toString())))
        response.setHeader('content-type', type).end(type === 'application/json' ? '{}' : '')
      })
  })
  const url = await listen(server)
  return { url, spans, requests, close: () => close(server) }
}

/** A receiver that behaves badly. */
export async function startBadReceiver(listener: RequestListener) {
  const server = createServer(listener)
  return { url: await listen(server), close: () => close(server) }
}

async function close(server: ReturnType<typeof createServer>): Promise<void> {
  server.closeAllConnections()
  server.close()
}

// biome-ignore lint/suspicious/noExplicitAny: a decoder of foreign JSON
function decode(message: any): ReceivedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: a decoder of foreign JSON
  const scopes = message.resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans)
  // biome-ignore lint/suspicious/noExplicitAny: a decoder of foreign JSON
  return scopes.flatMap(({ spans }: any) => spans.map((span: any) => ({ ...span, attributes: attributesOf(span) })))
}

function attributesOf({ attributes }: { attributes: { key: string; value: OtlpValue }[] }): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]))
}

function plainValue(value: OtlpValue): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plainValue)
  const [plain] = Object.values(value)
  return plain
}
