import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, deflate, gunzip, gzip, inflate } from 'node:zlib'
import { EngineError } from '../errors.ts'

/** Just under the longest string that Node can hold. */
const MAXIMUM_BODY_BYTES = 500 * 2 ** 20

const DECODERS: { [encoding: string]: (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer> } = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}
const ENCODERS: { [encoding: string]: (bytes: Buffer) => Promise<Buffer> } = {
  br: bytes => promisify(brotliCompress)(bytes, { params: {} }),
  gzip: bytes => promisify(gzip)(bytes),
  deflate: bytes => promisify(deflate)(bytes),
}
/** Below this, compressing costs more than it saves. */
const SMALLEST_COMPRESSED = 1024

/** The request's text, decompressed as its content-encoding says. @throws EngineError 400 on an unknown or broken encoding, or above 500 MB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAXIMUM_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || bytes.length === 0) return bytes.toString('utf8')
  const decode = DECODERS[encoding]
  if (decode === undefined) throw new EngineError(400, `Unsupported content encoding: ${encoding}`)
  try {
    return (await decode(bytes, { maxOutputLength: MAXIMUM_BODY_BYTES })).toString('utf8')
  } catch {
    throw new EngineError(400, `Payload error: the ${encoding} body cannot be decoded`)
  }
}

function tooLarge() {
  return new EngineError(400, `JSON payload is larger than allowed (limit: ${MAXIMUM_BODY_BYTES} bytes).`)
}

/** Sends a text, compressed where the client accepts that and it pays. */
export async function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): Promise<void> {
  let bytes: Buffer = Buffer.from(text, 'utf8')
  const encoding = bytes.length < SMALLEST_COMPRESSED ? undefined : acceptedEncoding(request)
  response.statusCode = status
  response.setHeader('content-type', type)
  response.setHeader('vary', 'accept-encoding')
  const encode = encoding === undefined ? undefined : ENCODERS[encoding]
  if (encoding !== undefined && encode !== undefined) {
    bytes = await encode(bytes)
    response.setHeader('content-encoding', encoding)
  }
  response.setHeader('content-length', bytes.length)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function acceptedEncoding(request: IncomingMessage): string | undefined {
  const offers = String(request.headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(offer => offer.split(';').map(part => part.trim()))
    .filter(([, quality]) => quality === undefined || Number(quality.replace('q=', '')) > 0)
    .map(([name]) => name)
  return Object.keys(ENCODERS).find(name => offers.includes(name))
}
