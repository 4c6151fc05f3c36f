import { appendFile, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import type { TraceStore } from '../../pipeline/services.ts'
import { createLostCount, type LostSubject, lostSubject } from '../../pipeline/trace/lost-traces.ts'
import { printJson } from '../../qdrant/json.ts'
import { ignoreMissing } from '../ignore-missing.ts'

/** Takes lines, in order and in the background. It reports by itself that they cannot be written. */
export interface LineFile {
  /** @param lines one or more, each with its line break; they come into the same file. @throws Error when they cannot be written */
  append(lines: string): Promise<void>
}

interface LineFileOptions {
  path: string
  /** The file is rotated before it grows beyond this; default 64 MiB. What is longer by itself gets a file of its own. */
  maxBytes?: number
  /** Number of files: `path`, `path.1` (the latest rotated) to `path.{files - 1}`; default 5. */
  files?: number
  /** Called when writing begins to fail, and again only after a successful write. */
  onError: (error: unknown) => void
}

interface JsonlSinkOptions {
  file: LineFile
  /** Called when traces begin to be dropped, and again only after a successful write. */
  onDropping: (reason: string) => void
}

/** Limit of traces in the queue, for slow disks. Beyond it new traces are dropped, to limit the memory of the process. */
const MAX_QUEUED = 1_000
/** Characters that are written at once. One write for each trace would take a busy event loop longer than the requests do. */
const BATCH_CHARACTERS = 1024 * 1024
/** Traces contain texts of customers, so only the owner may read the file. */
const MODE = 0o600
const MAX_BYTES = 64 * 1024 * 1024

/** A file that is rotated. One process alone may write to it. */
export function createLineFile({ path, maxBytes = MAX_BYTES, files = 5, onError }: LineFileOptions): LineFile {
  let last: Promise<void> = Promise.resolve()
  let isFailing = false
  // A full disk, or the end of a process, can leave half a line.
  let mayBeHalf = true
  const append = async (lines: string) => {
    await makeFolder(dirname(path))
    const size = (await stat(path).catch(ignoreMissing))?.size ?? 0
    const isFull = size > 0 && size + Buffer.byteLength(lines) > maxBytes
    if (isFull) await rotate(path, files)
    const begin = mayBeHalf && size > 0 && !isFull && !(await endsInLineBreak(path, size)) ? '\n' : ''
    mayBeHalf = true
    await appendFile(path, begin + lines, { mode: MODE })
    mayBeHalf = false
  }
  return {
    append(lines) {
      const appended = last.then(() => append(lines))
      last = appended.then(
        () => {
          isFailing = false
        },
        error => {
          if (!isFailing) onError(error)
          isFailing = true
        },
      )
      return appended
    },
  }
}

/**
 * Appends each trace as one JSON line, in order and in the background. Does not read traces back. Traces that are dropped or cannot be written
 * are counted, and the count is a line of its own as soon as writing works: who reads the file must know of its holes.
 */
export function createJsonlSink({ file, onDropping }: JsonlSinkOptions): TraceStore {
  const queue: QueuedTrace[] = []
  let lost = createLostCount()
  let writing: Promise<void> | null = null
  let isDropping = false

  const writeBatch = async () => {
    const batch = takeBatch(queue)
    const told = lost
    lost = createLostCount()
    const lines = batch.map(({ line }) => line)
    if (!told.isEmpty()) lines.push(`${printJson(told.toLine(new Date()))}\n`)
    try {
      await file.append(lines.join(''))
      isDropping = false
    } catch {
      lost.addAll(told)
      for (const { subject } of batch) lost.add(subject)
    }
  }

  const writeQueue = async () => {
    while (queue.length > 0) await writeBatch()
    writing = null
  }

  return {
    record(trace) {
      const subject = lostSubject(trace)
      if (queue.length >= MAX_QUEUED) {
        lost.add(subject)
        if (!isDropping) onDropping(`${MAX_QUEUED} traces are waiting to be written: new ones are dropped`)
        isDropping = true
        return
      }
      queue.push({ line: `${printJson(trace)}\n`, subject })
      writing ??= writeQueue()
    },
    find: () => null,
    list: () => [],
    close: async () => {
      await writing
      if (!lost.isEmpty()) await writeBatch()
    },
  }
}

interface QueuedTrace {
  line: string
  subject: LostSubject
}

/** Takes the first traces off the queue: as many as are written at once, and at least one. */
function takeBatch(queue: QueuedTrace[]): QueuedTrace[] {
  let [end, characters] = [0, 0]
  for (const { line } of queue) {
    characters += line.length
    if (end > 0 && characters > BATCH_CHARACTERS) break
    end += 1
  }
  return queue.splice(0, end)
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
