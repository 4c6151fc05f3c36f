import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { eitherSignal } from '../../../../core/either-signal.ts'
import { messageOf } from '../../../../core/errors.ts'
import { makeFolder } from '../../../../files/make-folder.ts'
import { type ModelSource, weightsOf } from '../../model-folder.ts'
import type { Side } from '../side.ts'
import { createFolderBudget } from './folder-budget.ts'

/** Sides of passages on a disk: one file for each text, named by its hash, so that processes can share them. */
export interface SideFolder {
  has(key: string): Promise<boolean>
  /**
   * The sides that have a whole file, as far as they can be read until the signal aborts, and within 400 ms: a disk that takes longer is not
   * asked again for 10 seconds. It never rejects.
   */
  readAll(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Side>>
  /** Writes in the background. Left out while too many writes wait, and for a minute after one failed. */
  write(key: string, side: Side): void
  /** Resolves when nothing is being written or deleted. */
  settled(): Promise<void>
  /** Number of files that were deleted to make room. */
  deleted(): number
  /** Why the last write failed; null when it did not. */
  fault(): string | null
}

interface SideFolderOptions {
  path: string
  /** Sides of other models stand beside these: what one model makes of a text says nothing to another one. */
  modelKey: string
  /** Of all models together. */
  maxBytes: number
  /** Told why nothing can be written or read, not again while it pauses. */
  onFault: (reason: string) => void
}

const MOST_WAITING = 512
const WRITE_PAUSE_MS = 60_000
/** A local disk needs a few milliseconds. Without it, 50 passages are encoded in about 200 ms on two cores. */
const LONGEST_READ_MS = 400
const READ_PAUSE_MS = 10_000

/** Change when sides have other contents or another form. */
const FORM = 2

/** 16 hexadecimal digits that differ when sides of one text may: another model or cut, another kind of processor. */
export async function modelKeyOf(source: ModelSource): Promise<string> {
  const hash = createHash('sha256').update(`${FORM} ${process.arch}`)
  const others = ['tokenizer.json', 'stowage.json'].map(name => join(source.location, name))
  for (const file of [weightsOf(source), ...others]) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}

/** Opens the folder, and makes it where it is missing. @throws Error when nothing can be written there */
export async function openSideFolder({ path, modelKey, maxBytes, onFault }: SideFolderOptions): Promise<SideFolder> {
  const folder = join(path, modelKey)
  await makeFolder(folder, 0o700)
  const probe = temporaryName(join(folder, 'probe'))
  await writeFile(probe, '')
  await rm(probe)
  const budget = createFolderBudget(path, maxBytes)
  const writing = new Set<Promise<void>>()
  let pausedUntil = 0
  let unreadUntil = 0
  let fault: string | null = null

  const fileOf = (key: string) => join(folder, key.slice(0, 2), key.slice(2))

  async function writeFileOf(key: string, side: Side): Promise<void> {
    const file = fileOf(key)
    const temporary = temporaryName(file)
    try {
      await makeFolder(dirname(file), 0o700)
      const bytes = sealed(side)
      await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
      // Other processes see the whole file or none.
      await rename(temporary, file)
      budget.added(bytes.length)
      fault = null
    } catch (error) {
      const isFirst = performance.now() >= pausedUntil
      pausedUntil = performance.now() + WRITE_PAUSE_MS
      fault = messageOf(error)
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
    async readAll(keys, signal) {
      const found = new Map<string, Side>()
      if (signal.aborted || performance.now() < unreadUntil) return found
      const limit = AbortSignal.timeout(LONGEST_READ_MS)
      const over = eitherSignal(signal, limit)
      const reading = keys.map(async key => {
        const side = await readFile(fileOf(key), { signal: over.signal }).then(opened, () => null)
        if (side !== null) found.set(key, side)
      })
      // A file system that hangs does not see the abort.
      await Promise.race([Promise.all(reading), once(over.signal, 'abort')])
      over.dispose()
      if (limit.aborted && !signal.aborted) {
        unreadUntil = performance.now() + READ_PAUSE_MS
        onFault(`reading took more than ${LONGEST_READ_MS} ms`)
      }
      return new Map(found)
    },
    write(key, side) {
      if (writing.size >= MOST_WAITING || performance.now() < pausedUntil) return
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
  bytes.writeUInt32LE(MARK, 0)
  bytes.writeUInt32LE(side.byteLength, 4)
  bytes.writeUInt32LE(checksum(side), 8)
  bytes.set(new Uint8Array(side), HEADER_BYTES)
  return bytes
}

/** The side of a file; null when it is not whole, as after a power failure. */
function opened(bytes: Buffer): Side | null {
  const length = bytes.length - HEADER_BYTES
  if (length < 0 || bytes.readUInt32LE(0) !== MARK || bytes.readUInt32LE(4) !== length) return null
  const side = new SharedArrayBuffer(length)
  new Uint8Array(side).set(bytes.subarray(HEADER_BYTES))
  return bytes.readUInt32LE(8) === checksum(side) ? side : null
}

/** FNV-1a (Fowler, Noll and Vo) over words of 32 bits, and the bytes behind them. It is for broken files, not against forged ones. */
function checksum(side: Side): number {
  const words = new Int32Array(side, 0, side.byteLength >> 2)
  let hash = 0x811c9dc5
  for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ (words[at] as number), 0x01000193)
  for (const byte of new Uint8Array(side, words.byteLength)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
