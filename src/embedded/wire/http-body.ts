import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { badRequest } from '../errors.ts'

/** Just under the longest string of Node. */
export const MAXIMUM_BODY_BYTES = 500 * 2 ** 20

/** Reads the request's body as text. @throws EngineError 400 on broken gzip, another encoding, or more than 500 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAXIMUM_BODY_BYTES) throw badRequest(`the body is larger than ${MAXIMUM_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || size === 0) return bytes.toString('utf8')
  if (encoding !== 'gzip') throw badRequest(`unsupported content encoding: ${encoding}`)
  try {
    return (await promisify(gunzip)(bytes, { maxOutputLength: MAXIMUM_BODY_BYTES })).toString('utf8')
  } catch {
    throw badRequest('the gzip body cannot be decoded')
  }
}
