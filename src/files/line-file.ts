import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs'

const LINE_END = 10
const CHUNK_BYTES = 2 ** 20

/** Where a part of a file stands: bytes from the start of the file. */
export interface FilePart {
  at: number
  bytes: number
}

/** A file that grows by whole lines, or other whole parts: what a failed write has left behind is taken away. */
export class LineFile {
  readonly #file: number
  #size: number

  /** @param size bytes of whole parts that the file has; what follows them is cut off */
  constructor(path: string, size: number) {
    this.#file = openSync(path, 'a+')
    this.#size = size
    ftruncateSync(this.#file, size)
  }

  get size(): number {
    return this.#size
  }

  /** @param part one or more lines, each with its end */
  append(part: string | Uint8Array): void {
    try {
      writeFileSync(this.#file, part)
    } catch (error) {
      ftruncateSync(this.#file, this.#size)
      throw error
    }
    this.#size += Buffer.byteLength(part)
  }

  /** When it returns, all parts are on the disk. */
  sync(): void {
    fsyncSync(this.#file)
  }

  read({ at, bytes }: FilePart): Buffer {
    const buffer = Buffer.alloc(bytes)
    readSync(this.#file, buffer, 0, bytes, at)
    return buffer
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** The lines of a file of any size, with the bytes up to the `end` of each. Leaves out a last line without a line break. None when there is no file. */
export function* linesOf(path: string): Generator<{ line: Buffer; end: number }> {
  if (!existsSync(path)) return
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let bytes: Buffer = Buffer.alloc(0)
    let offset = 0
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      bytes = Buffer.concat([bytes, chunk.subarray(0, size)])
      let start = 0
      for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
        yield { line: bytes.subarray(start, end), end: offset + end + 1 }
        start = end + 1
      }
      bytes = bytes.subarray(start)
      offset += start
    }
  } finally {
    closeSync(file)
  }
}
