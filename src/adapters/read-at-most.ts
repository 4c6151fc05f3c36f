import { createReadStream } from 'node:fs'

/** The first bytes of a file, which may be a device without an end. */
export async function readAtMost(path: string, bytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: bytes - 1 })) parts.push(part)
  return Buffer.concat(parts)
}
