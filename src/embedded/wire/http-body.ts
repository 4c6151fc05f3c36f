import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { EngineError } from '../errors.ts'

/** Just under the longest string that Node can hold. */
export const MAXIMUM_BODY_BYTES = 500 * 2 ** 20

/** Below this, compressing costs more than it saves. */
const SMALLEST_COMPRESSED_BYTES = 1024

/** The request's text, unpacked where it came in gzip. @throws EngineError 400 on a broken or another encoding, or above 500 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAXIMUM_BODY_BYTES) {
      throw new EngineError(400, `JSON payload is larger than allowed (limit: ${MAXIMUM_BODY_BYTES} bytes).`)
    }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || bytes.length === 0) return bytes.toString('utf8')
  if (encoding !== 'gzip') throw new EngineError(400, `Unsupported content encoding: ${encoding}`)
  try {
    return (await promisify(gunzip)(bytes, { maxOutputLength: MAXIMUM_BODY_BYTES })).toString('utf8')
  } catch {
    throw new EngineError(400, 'Payload error: the gzip body cannot be decoded')
  }
}

/** Sends a text, in gzip where the client accepts that and it pays. */
export async function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): Promise<void> {
  let bytes: Buffer = Buffer.from(text, 'utf8')
  response.statusCode = status
  response.setHeader('content-type', type)
  response.setHeader('vary', 'accept-encoding')
  if (bytes.length >= SMALLEST_COMPRESSED_BYTES && acceptsGzip(request)) {
    bytes = await promisify(gzip)(bytes)
    response.setHeader('content-encoding', 'gzip')
  }
  response.setHeader('content-length', bytes.length)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function acceptsGzip(request: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''))
}
