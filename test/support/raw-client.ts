import { connect } from 'node:net'
import { endToEndHeaders } from '../../src/http/passthrough/hop-by-hop.ts'
import { headerPairs } from '../../src/qdrant/raw-headers.ts'

/** An HTTP answer as it stood on the wire; the framing is undone, nothing else. */
export interface RawAnswer {
  statusLine: string
  /** All header pairs, in order. */
  headers: [string, string][]
  body: Buffer
  trailers: string
  /** False when the connection ended before the announced end of the body. */
  complete: boolean
}

/** Sends bytes as they are over a connection of its own and collects bytes until the other side ends it. */
export function exchangeBytes(url: string, parts: (string | Buffer)[]): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(Number(port), hostname, async () => {
      for (const part of parts) {
        if (socket.destroyed) return
        const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part
        if (!socket.write(bytes)) {
          await new Promise(done => socket.once('drain', done).once('close', done))
        }
      }
    })
    socket.on('data', part => received.push(part))
    // A reset after the answer is an ending too: what counts is what arrived.
    socket.on('error', error => (received.length > 0 ? resolve(Buffer.concat(received)) : reject(error)))
    socket.on('close', () => resolve(Buffer.concat(received)))
  })
}

/** The final answer among the bytes of a connection (interim 1xx answers are skipped). */
export function readAnswer(bytes: Buffer, method: string): RawAnswer {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) throw new Error(`no complete answer in ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`)
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const rest = bytes.subarray(headEnd + 4)
  const status = Number(statusLine.split(' ')[1])
  if (status >= 100 && status < 200) return readAnswer(rest, method)
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const headerValue = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
  if (method === 'HEAD' || status === 204 || status === 304) {
    return { statusLine, headers, body: rest, trailers: '', complete: true }
  }
  if (headerValue('transfer-encoding')?.toLowerCase() === 'chunked') return { statusLine, headers, ...readChunks(rest) }
  const length = headerValue('content-length')
  return {
    statusLine,
    headers,
    body: rest,
    trailers: '',
    complete: length === undefined || Number(length) === rest.length,
  }
}

/** What has to be equal between a direct and a proxied answer. */
export function comparable({ statusLine, headers, body, trailers, complete }: RawAnswer) {
  const kept = [...headerPairs(endToEndHeaders(headers.flat()))].filter(([name]) => name.toLowerCase() !== 'date')
  return { statusLine, headers: kept, body: body.toString('base64'), trailers, complete }
}

function readChunks(bytes: Buffer): { body: Buffer; trailers: string; complete: boolean } {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    if (Number.isNaN(size)) return { body: Buffer.concat(parts), trailers: '', complete: false }
    if (size === 0) {
      const tail = bytes.subarray(lineEnd + 2).toString('latin1')
      return { body: Buffer.concat(parts), trailers: tail.trim(), complete: tail.endsWith('\r\n') }
    }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
