import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFolderBudget } from './folder-budget.ts'
import type { Side } from './side.ts'

/** Sides of passages on a disk: one file for each text, named by its hash, so that processes can share them. */
export interface SideFolder {
  has(key: string): Promise<boolean>
  /** Null when there is no file, or it is not whole, or the signal aborted. It never rejects. */
  read(key: string, signal: AbortSignal): Promise<Side | null>
  /** Writes in the background. Left out while too many writes wait, and for a minute after one failed. */
  write(key: string, side: Side): void
  /** Resolves when nothing is being written or deleted. */
  settled(): Promise<void>
  /** Number of files that were deleted to make room. */
  deleted(): number
  /** Why the last write failed; null when it did not. */
  fault(): string | null
}

export interface SideFolderOptions {
  path: string
  /** Sides of other models stand beside these: what one model makes of a text says nothing to another one. */
  modelKey: string
  /** Of all models together. */
  maxBytes: number
  /** Told why nothing can be written, at most once a minute. */
  onFault: (reason: string) => void
}

const MOST_WAITING = 512
const PAUSE_MS = 60_000

/** Opens the folder, and makes it where it is missing. @throws Error when nothing can be written there */
export async function openSideFolder({ path, modelKey, maxBytes, onFault }: SideFolderOptions): Promise<SideFolder> {
  const folder = join(path, modelKey)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const probe = temporaryName(join(folder, 'probe'))
  await writeFile(probe, '')
  await rm(probe)
  const budget = createFolderBudget(path, maxBytes)
  const writing = new Set<Promise<void>>()
  let pausedUntil = 0
  let fault: string | null = null

  const fileOf = (key: string) => join(folder, key.slice(0, 2), key.slice(2))

  async function writeFileOf(key: string, side: Side): Promise<void> {
    const file = fileOf(key)
    const temporary = temporaryName(file)
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const bytes = sealed(side)
      await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
      // Other processes see the whole file or none.
      await rename(temporary, file)
      budget.added(bytes.length)
      fault = null
    } catch (error) {
      const isFirst = Date.now() >= pausedUntil
      pausedUntil = Date.now() + PAUSE_MS
      fault = error instanceof Error ? error.message : String(error)
      if (isFirst) onFault(fault)
      await rm(temporary, { force: true }).catch(() => undefined)
    }
  }

  return {
    has: key =>
      stat(fileOf(key)).then(
        () => true,
        () => false,
      ),
    read: (key, signal) => readFile(fileOf(key), { signal }).then(opened, () => null),
    write(key, side) {
      if (writing.size >= MOST_WAITING || Date.now() < pausedUntil) return
      const written = writeFileOf(key, side).finally(() => writing.delete(written))
      writing.add(written)
    },
    async settled() {
      await Promise.all(writing)
      await budget.settled()
    },
    deleted: () => budget.deleted(),
    fault: () => fault,
  }
}

const temporaryName = (file: string) => `${file}.${randomBytes(6).toString('hex')}.tmp`

/** A file begins with these bytes, the length of the side and its checksum. */
const MARK = 0x31_77_74_73
const HEADER_BYTES = 12

function sealed(side: Side): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + side.byteLength)
  bytes.set(new Uint8Array(side), HEADER_BYTES)
  bytes.writeUInt32LE(MARK, 0)
  bytes.writeUInt32LE(side.byteLength, 4)
  bytes.writeUInt32LE(checksum(bytes), 8)
  return bytes
}

/** The side of a file; null when it is not whole, as after a power failure. */
function opened(bytes: Buffer): Side | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MARK) return null
  if (bytes.readUInt32LE(4) !== bytes.length - HEADER_BYTES || bytes.readUInt32LE(8) !== checksum(bytes)) return null
  const side = new SharedArrayBuffer(bytes.length - HEADER_BYTES)
  new Uint8Array(side).set(bytes.subarray(HEADER_BYTES))
  return side
}

/** FNV-1a (Fowler, Noll and Vo) over words of 32 bits behind the header. It is for broken files, not against forged ones. */
function checksum(bytes: Buffer): number {
  let hash = 0x811c9dc5
  let at = HEADER_BYTES
  for (; at + 4 <= bytes.length; at += 4) hash = Math.imul(hash ^ bytes.readInt32LE(at), 0x01000193)
  for (; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return hash >>> 0
}
