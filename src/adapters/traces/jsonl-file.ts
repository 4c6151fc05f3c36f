import { appendFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TraceStore } from '../../pipeline/services.ts'
import { printJson } from '../../qdrant/json.ts'
import { ignoreMissing } from '../ignore-missing.ts'

/** Takes lines, in order and in the background. */
export interface LineFile {
  /** @param line with its line break. @throws Error when it cannot be written */
  append(line: string): Promise<void>
}

interface LineFileOptions {
  path: string
  /** The file is rotated before it grows beyond this; default 64 MiB. A longer line gets a file of its own. */
  maxBytes?: number
  /** Number of files: `path`, `path.1` (the latest rotated) to `path.{files - 1}`; default 5. */
  files?: number
}

interface JsonlSinkOptions {
  file: LineFile
  /** Called when writing begins to fail, and again only after a successful write. */
  onError: (error: unknown) => void
}

/** Limit of traces in the queue, for slow disks. Beyond it new traces are dropped, to limit the memory of the process. */
const MAX_QUEUED = 1_000
/** Traces contain texts of customers, so only the owner may read the file. */
const MODE = 0o600
const MAX_BYTES = 64 * 1024 * 1024

/** A file that is rotated. One process alone may write to it. */
export function createLineFile({ path, maxBytes = MAX_BYTES, files = 5 }: LineFileOptions): LineFile {
  let last: Promise<void> = Promise.resolve()
  // A full disk, or the end of a process, can leave half a line.
  let mayBeHalf = true
  const append = async (line: string) => {
    await mkdir(dirname(path), { recursive: true })
    const size = (await stat(path).catch(ignoreMissing))?.size ?? 0
    const isFull = size > 0 && size + Buffer.byteLength(line) > maxBytes
    if (isFull) await rotate(path, files)
    const begin = mayBeHalf && size > 0 && !isFull && !(await endsInLineBreak(path, size)) ? '\n' : ''
    mayBeHalf = true
    await appendFile(path, begin + line, { mode: MODE })
    mayBeHalf = false
  }
  return {
    append(line) {
      const appended = last.then(() => append(line))
      last = appended.catch(() => {})
      return appended
    },
  }
}

/** Appends each trace as one JSON line, in order and in the background. Does not read traces back. */
export function createJsonlSink({ file, onError }: JsonlSinkOptions): TraceStore {
  const queue: string[] = []
  let writing: Promise<void> | null = null
  let failing = false

  const fail = (error: unknown) => {
    if (!failing) onError(error)
    failing = true
  }

  const writeQueue = async () => {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      try {
        await file.append(line)
        failing = false
      } catch (error) {
        fail(error)
      }
    }
    writing = null
  }

  return {
    record(trace) {
      if (queue.length >= MAX_QUEUED) {
        fail(new Error(`${MAX_QUEUED} traces are waiting to be written: new ones are dropped`))
        return
      }
      queue.push(`${printJson(trace)}\n`)
      writing ??= writeQueue()
    },
    find: () => null,
    list: () => [],
    close: async () => {
      await writing
    },
  }
}

async function endsInLineBreak(path: string, size: number): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer.toString() === '\n'
  } finally {
    await file.close()
  }
}

async function rotate(path: string, files: number): Promise<void> {
  if (files <= 1) await rm(path, { force: true })
  for (let age = files - 1; age >= 1; age--) {
    await rename(age === 1 ? path : `${path}.${age - 1}`, `${path}.${age}`).catch(ignoreMissing)
  }
}
