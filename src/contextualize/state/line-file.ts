import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs'

const LINE_END = 10
const CHUNK_BYTES = 2 ** 20

/** A file that grows by whole lines: what a failed write has left behind is taken away. */
export class LineFile {
  readonly #file: number
  #size: number

  /** @param size bytes of whole lines that the file has; what follows them is cut off */
  constructor(path: string, size: number) {
    this.#file = openSync(path, 'a+')
    this.#size = size
    ftruncateSync(this.#file, size)
  }

  get size(): number {
    return this.#size
  }

  /** @param lines each with its end */
  append(lines: string): void {
    try {
      writeFileSync(this.#file, lines)
    } catch (error) {
      ftruncateSync(this.#file, this.#size)
      throw error
    }
    this.#size += Buffer.byteLength(lines)
  }

  /** When it returns, all lines are on the disk. */
  sync(): void {
    fsyncSync(this.#file)
  }

  read(at: number, bytes: number): string {
    const buffer = Buffer.alloc(bytes)
    readSync(this.#file, buffer, 0, bytes, at)
    return buffer.toString()
  }

  close(): void {
    closeSync(this.#file)
  }
}

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
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      const part = chunk.subarray(0, size)
      let from = 0
      for (let end = part.indexOf(LINE_END); end >= 0; end = part.indexOf(LINE_END, from)) {
        start += part.toString('latin1', from, Math.min(end, from + length))
        yield { at, bytes: position + end - at, start: start.slice(0, length) }
        start = ''
        at = position + end + 1
        from = end + 1
      }
      if (start.length < length) start += part.toString('latin1', from, Math.min(size, from + length))
      position += size
    }
  } finally {
    closeSync(file)
  }
}
