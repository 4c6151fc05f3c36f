import { createReadStream } from 'node:fs'

/** The first bytes of a file, which may be a device without an end. */
export async function readAtMost(path: string, bytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: bytes - 1 })) parts.push(part)
  return Buffer.concat(parts)
}

/** All bytes of an answer. @throws Error by `tooLong`, when it is longer */
export async function readWhole(
  parts: AsyncIterable<Uint8Array>,
  mostBytes: number,
  tooLong = (fault: string): Error => new Error(`the answer ${fault}`),
): Promise<Buffer> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > mostBytes) throw tooLong(`is longer than ${mostBytes} bytes`)
    read.push(part)
  }
  return Buffer.concat(read)
}
