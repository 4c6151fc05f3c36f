import type { IncomingMessage } from 'node:http'

/** Bytes that the copies of all bodies may take together. */
export interface CopyRoom {
  free: number
}

/** The bytes of a body that streams by. It is given up when there is no room for it. */
export class BodyCopy {
  readonly #request: IncomingMessage
  readonly #room: CopyRoom
  #parts: Buffer[] | null = []
  #bytes = 0

  /** @param read the bytes that were read from the request already @param maxBytes of this copy */
  constructor(request: IncomingMessage, read: Buffer | undefined, room: CopyRoom, maxBytes: number) {
    this.#request = request
    this.#room = room
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > maxBytes || announced > room.free) this.#parts = null
    if (read !== undefined) this.#add(read, maxBytes)
    if (request.readableEnded || this.#parts === null) return
    request.on('data', (part: Buffer) => this.#add(part, maxBytes))
  }

  /** The whole body; null when it was given up, or is not complete. */
  bytes(): Buffer | null {
    const isComplete = this.#request.readableEnded && this.#parts !== null
    return isComplete ? Buffer.concat(this.#parts ?? []) : null
  }

  release(): void {
    this.#parts = null
    this.#room.free += this.#bytes
    this.#bytes = 0
  }

  #add(part: Buffer, maxBytes: number): void {
    if (this.#parts === null) return
    if (this.#bytes + part.length > maxBytes || part.length > this.#room.free) {
      this.release()
      return
    }
    this.#parts.push(part)
    this.#bytes += part.length
    this.#room.free -= part.length
  }
}
