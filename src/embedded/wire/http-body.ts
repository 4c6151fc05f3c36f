import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { badRequest, EngineError, formatError } from '../errors.ts'

/** Bytes of a request body after it is unpacked: Qdrant's default. */
export const MAXIMUM_BODY_BYTES = 32 * 2 ** 20

/**
 * Reads the request's body as text. It never holds more than the limit; what a client sends beyond it is thrown away, and a
 * gzip body is not unpacked any further.
 * @throws EngineError 413 on a body over the limit, 400 on broken gzip, another encoding, or bytes that are not UTF-8
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const body = new BoundedBytes(MAXIMUM_BODY_BYTES)
  if (encoding === 'identity') await receive(request, chunk => body.add(chunk))
  else if (encoding === 'gzip') await receiveGzip(request, body)
  else throw badRequest(`unsupported content encoding: ${encoding}`)
  if (body.overflown) throw new EngineError(413, `JSON payload has exceeded limit (${MAXIMUM_BODY_BYTES} bytes).`)
  const bytes = body.bytes()
  if (!isUtf8(bytes)) throw formatError('invalid unicode code point')
  return bytes.toString('utf8')
}

/** Resolves at the end of the body. @throws Error when the client breaks off */
function receive(request: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    request.on('data', take)
    request.once('end', resolve)
    request.once('error', reject)
    request.once('close', () => reject(new EngineError(499, 'Cancelled: the client has closed the connection')))
  })
}

async function receiveGzip(request: IncomingMessage, body: BoundedBytes): Promise<void> {
  const gunzip = createGunzip()
  let isEmpty = true
  const unpacked = new Promise<boolean>(resolve => {
    gunzip.on('data', (chunk: Buffer) => {
      body.add(chunk)
      if (body.overflown) gunzip.destroy()
    })
    gunzip.once('end', () => resolve(true))
    gunzip.once('error', () => resolve(false))
    gunzip.once('close', () => resolve(false))
  })
  try {
    await receive(request, chunk => {
      isEmpty = false
      // A chunk waits in the gunzip until its turn, so slow unpacking has to slow down the client.
      if (gunzip.destroyed || gunzip.write(chunk)) return
      request.pause()
      const resume = () => request.resume()
      gunzip.once('drain', resume).once('close', resume)
    })
    if (isEmpty) return
    if (!gunzip.destroyed) gunzip.end()
    if (!(await unpacked) && !body.overflown) throw badRequest('the gzip body cannot be decoded')
  } finally {
    gunzip.destroy()
  }
}

/** Bytes in one growing buffer, so that a body of many small chunks takes no more memory than one of few. */
class BoundedBytes {
  overflown = false
  private readonly most: number
  private buffer = Buffer.alloc(0)
  private size = 0

  constructor(most: number) {
    this.most = most
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length
    this.overflown ||= size > this.most
    if (this.overflown) {
      this.buffer = Buffer.alloc(0)
      return
    }
    if (size > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.most, Math.max(2 * this.buffer.length, size)))
      this.buffer.copy(larger, 0, 0, this.size)
      this.buffer = larger
    }
    chunk.copy(this.buffer, this.size)
    this.size = size
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.size)
  }
}
