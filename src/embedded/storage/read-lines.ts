import { closeSync, openSync, readSync } from 'node:fs'

const CHUNK_BYTES = 2 ** 20
const NEWLINE = 10

/** Reads a file of any size line by line, with the bytes up to the `end` of each line. Leaves out a last line without a newline. */
export function* readLines(file: string): Generator<{ text: string; end: number }> {
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let bytes: Buffer = Buffer.alloc(0)
    let offset = 0
    for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
      bytes = Buffer.concat([bytes, chunk.subarray(0, size)])
      let start = 0
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield { text: bytes.toString('utf8', start, end), end: offset + end + 1 }
        start = end + 1
      }
      bytes = bytes.subarray(start)
      offset += start
    }
  } finally {
    closeSync(descriptor)
  }
}
