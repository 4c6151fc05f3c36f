import type { IncomingMessage, ServerResponse } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import { inviteBody } from './expect-continue.ts'

interface ReadBody {
  /** The bytes as received, compressed or not. */
  body: Buffer
  /** False when the body is too long. The paused request still holds the rest. */
  complete: boolean
}

/**
 * Buffers a request body of up to `maxBytes`. A longer body is not drained; the caller can refuse it or stream it on with
 * `passthrough(request, response, body)`. Rejects when the client disconnects before the end, and when the signal aborts, with its reason.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.resolve({ body: Buffer.alloc(0), complete: false })
  inviteBody(request, response)
  return new Promise((resolve, reject) => {
    const received = new GrowingBuffer()
    const onData = (part: Buffer) => {
      received.append(part)
      if (received.length > maxBytes) settle(false)
    }
    const onEnd = () => settle(true)
    const onError = (error: Error) => {
      release()
      reject(error)
    }
    const onClose = () => onError(new Error('the client disconnected before the end of its body'))
    const onAbort = () => onError(signal?.reason)
    const release = () => {
      signal?.removeEventListener('abort', onAbort)
      request.pause()
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    }
    const settle = (complete: boolean) => {
      release()
      resolve({ body: received.bytes(), complete })
    }
    signal?.addEventListener('abort', onAbort)
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

/** Reads the whole body of a request. @throws StowageError `payload_too_large` */
export async function readWholeBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<Buffer> {
  const { body, complete } = await readBody(request, response, maxBytes)
  if (complete) return body
  throw new StowageError('payload_too_large', `The body is longer than ${maxBytes} bytes`)
}

/** Copies parts into one buffer, which doubles when it is full. A list of parts would keep 60 bytes and more for a part of one byte. */
class GrowingBuffer {
  length = 0
  private buffer = Buffer.alloc(0)

  append(part: Buffer): void {
    const needed = this.length + part.length
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length))
      this.bytes().copy(larger)
      this.buffer = larger
    }
    part.copy(this.buffer, this.length)
    this.length = needed
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length)
  }
}
