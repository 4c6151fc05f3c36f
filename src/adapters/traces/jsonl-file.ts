import { appendFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TraceStore } from '../../pipeline/services.ts'
import { printJson } from '../../qdrant/json.ts'

interface JsonlSinkOptions {
  path: string
  /** A file that would grow beyond this is set aside first; a single longer line stands alone. */
  maxBytes: number
  /** Files kept in all: `path`, `path.1` (the youngest set aside) … `path.{files - 1}`. */
  files: number
  /** Told once when writing begins to fail, and again only after it worked in between. */
  onError: (error: unknown) => void
}

/** Traces waiting for a slow disk; beyond that the newest are lost rather than the memory of the process. */
const MAX_WAITING = 1_000

/** Appends each trace as one JSON line, in order, behind the requests. Finds nothing: reading back is the ring's part. */
export function createJsonlSink({ path, maxBytes, files, onError }: JsonlSinkOptions): TraceStore {
  let waiting: string[] = []
  let writing: Promise<void> | null = null
  let failing = false

  const writeAll = async () => {
    while (waiting.length > 0) {
      const lines = waiting
      waiting = []
      try {
        await appendRotating(lines)
        failing = false
      } catch (error) {
        if (!failing) onError(error)
        failing = true
      }
    }
    writing = null
  }

  const appendRotating = async (lines: string[]) => {
    await mkdir(dirname(path), { recursive: true })
    let size = await sizeOf(path)
    let batch = ''
    for (const line of lines) {
      const bytes = Buffer.byteLength(line)
      if (size > 0 && size + bytes > maxBytes) {
        if (batch !== '') await appendFile(path, batch)
        await setAside(path, files)
        batch = ''
        size = 0
      }
      batch += line
      size += bytes
    }
    await appendFile(path, batch)
  }

  return {
    record(trace) {
      if (waiting.length >= MAX_WAITING) {
        if (!failing) onError(new Error(`${MAX_WAITING} traces are waiting to be written: new ones are dropped`))
        failing = true
        return
      }
      waiting.push(`${printJson(trace)}\n`)
      writing ??= writeAll()
    },
    find: () => null,
    close: async () => {
      await writing
    },
  }
}

async function setAside(path: string, files: number): Promise<void> {
  if (files <= 1) await rm(path, { force: true })
  for (let age = files - 1; age >= 1; age--) {
    await rename(age === 1 ? path : `${path}.${age - 1}`, `${path}.${age}`).catch(ignoreMissing)
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(ignoreMissing)
  return found?.size ?? 0
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
