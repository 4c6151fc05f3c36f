import type { IncomingMessage } from 'node:http'

/** Bytes that the copies of all bodies may take together. */
export interface CopyRoom {
  free: number
}

/** What a part takes beside its bytes. Otherwise a body that comes byte by byte would take far more memory than its length. */
const PART_BYTES = 100

/** The bytes of a body, of a request or an answer, that streams by. It is given up when there is no room for it. */
export class BodyCopy {
  readonly #message: IncomingMessage
  readonly #room: CopyRoom
  #parts: Buffer[] | null = []
  #bytes = 0
  #taken = 0

  /** @param read the bytes that were read from the message already @param maxBytes of this copy */
  constructor(message: IncomingMessage, read: Buffer | undefined, room: CopyRoom, maxBytes: number) {
    this.#message = message
    this.#room = room
    const announced = Number(message.headers['content-length'] ?? 0)
    if (announced > maxBytes || announced > room.free) this.#parts = null
    if (read !== undefined) this.#add(read, maxBytes)
    if (message.readableEnded || this.#parts === null) return
    message.on('data', (part: Buffer) => this.#add(part, maxBytes))
  }

  /** The whole body; null when it was given up, or is not complete. */
  bytes(): Buffer | null {
    const isComplete = this.#message.readableEnded && this.#parts !== null
    return isComplete ? Buffer.concat(this.#parts ?? []) : null
  }

  release(): void {
    this.#parts = null
    this.#room.free += this.#taken
    this.#taken = 0
  }

  #add(part: Buffer, maxBytes: number): void {
    if (this.#parts === null) return
    const takes = part.length + PART_BYTES
    if (this.#bytes + part.length > maxBytes || takes > this.#room.free) {
      this.release()
      return
    }
    this.#parts.push(part)
    this.#bytes += part.length
    this.#taken += takes
    this.#room.free -= takes
  }
}
