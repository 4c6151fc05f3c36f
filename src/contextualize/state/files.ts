import { closeSync, openSync, readSync, writeSync } from 'node:fs'

const LINE_END = 10
const CHUNK_BYTES = 2 ** 20

/** The parsed lines of a file up to the first that is not whole: a process may be killed while it writes one. */
export function wholeLines(bytes: Buffer): unknown[] {
  const found: unknown[] = []
  for (let at = 0, end = bytes.indexOf(LINE_END); end >= 0; at = end + 1, end = bytes.indexOf(LINE_END, at)) {
    try {
      found.push(JSON.parse(bytes.toString('utf8', at, end)))
    } catch {
      return found
    }
  }
  return found
}

/** The beginning of each whole line of a file of any size, and the bytes that the line takes without its end. */
export function* lineStarts(path: string, length: number): Generator<{ at: number; bytes: number; start: string }> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let at = 0
    let position = 0
    let start = ''
    for (
      let size = readSync(file, chunk, 0, CHUNK_BYTES, 0);
      size > 0;
      size = readSync(file, chunk, 0, CHUNK_BYTES, position)
    ) {
      let from = 0
      for (
        let end = chunk.subarray(0, size).indexOf(LINE_END);
        end >= 0;
        end = chunk.subarray(0, size).indexOf(LINE_END, from)
      ) {
        start += chunk.toString('latin1', from, Math.min(end, from + length))
        yield { at, bytes: position + end - at, start: start.slice(0, length) }
        start = ''
        at = position + end + 1
        from = end + 1
      }
      if (start.length < length) start += chunk.toString('latin1', from, Math.min(size, from + length))
      position += size
    }
  } finally {
    closeSync(file)
  }
}

/** A write to a file may take less than it was given, for example when a signal comes. */
export function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}
