import { closeSync, openSync, readSync } from 'node:fs'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 10

/** Reads a file of any size line by line. `end` is the offset behind the line; a last line without a newline is left out. */
export function* readLines(file: string): Generator<{ text: string; end: number }> {
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let pending: Buffer[] = []
    let end = 0
    for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0 && at < size; at = chunk.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...pending, chunk.subarray(from, at)])
        pending = []
        from = at + 1
        end += line.length + 1
        yield { text: line.toString('utf8'), end }
      }
      if (from < size) pending.push(Buffer.from(chunk.subarray(from, size)))
    }
  } finally {
    closeSync(descriptor)
  }
}
