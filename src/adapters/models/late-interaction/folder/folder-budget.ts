import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Only these files are touched, whatever else lies in the folder: MODEL/AB/CDEF…, and what an interrupted write left. */
const SIDE_FILE = /^[0-9a-f]{16}[/\\][0-9a-f]{2}[/\\][0-9a-f]{30}(?<unfinished>\.[0-9a-f]{12}\.tmp)?$/
/** A write takes milliseconds. */
const UNFINISHED_MS = 3_600_000
/** Deleting goes on below the limit, so that the next files do not start it again. */
const KEPT_SHARE = 0.9
/** Other processes write, too: the files are counted anew when this one has written such a share of the limit. */
const COUNTED_SHARE = 0.05

/**
 * Keeps the files of sides below a size. Several processes may do so for the same folder.
 * @param maxBytes of all files. Each process may exceed it by a twentieth for a moment.
 */
export function createFolderBudget(folder: string, maxBytes: number) {
  /** Null: not known yet. */
  let bytes: number | null = null
  /** Written since the files were counted. */
  let own = 0
  let work: Promise<void> | null = null
  let deleted = 0

  async function makeRoom(): Promise<void> {
    const files = await filesIn(folder)
    let total = files.reduce((sum, file) => sum + file.size, 0)
    const isFull = total > maxBytes
    for (const file of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (!(isFull && total > maxBytes * KEPT_SHARE) && !file.isLeftOver) continue
      await rm(file.path, { force: true })
      total -= file.size
      deleted += 1
    }
    bytes = total
    own = 0
  }

  return {
    /** Says that a file of so many bytes was written. */
    added(size: number): void {
      if (bytes !== null) bytes += size
      own += size
      if (work !== null || (bytes !== null && bytes <= maxBytes && own <= maxBytes * COUNTED_SHARE)) return
      // A folder that cannot be read now is read after the next file.
      work = makeRoom()
        .catch(() => undefined)
        .finally(() => {
          work = null
        })
    },
    /** Resolves when nothing is being deleted. */
    settled: async () => work ?? undefined,
    /** Number of files that were deleted. */
    deleted: () => deleted,
  }
}

interface SideFile {
  path: string
  size: number
  /** When it was last read or written. Many systems note a read once a day. */
  usedMs: number
  /** Whether an interrupted write left it. */
  isLeftOver: boolean
}

async function filesIn(folder: string): Promise<SideFile[]> {
  const files: SideFile[] = []
  for (const model of await foldersIn(folder)) {
    for (const part of await foldersIn(model)) {
      const entries = await readdir(part, { withFileTypes: true })
      // One part after the other: a look at 100,000 files must not keep requests from the disk.
      files.push(...(await Promise.all(entries.map(entry => sideFile(folder, join(part, entry.name), entry)))).flat())
    }
  }
  return files
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => join(folder, name))
}

async function sideFile(folder: string, path: string, entry: Dirent): Promise<SideFile[]> {
  const match = SIDE_FILE.exec(relative(folder, path))
  if (match === null || !entry.isFile()) return []
  // Another process may have deleted it.
  const found = await stat(path).catch(() => null)
  if (found === null) return []
  const usedMs = Math.max(found.atimeMs, found.mtimeMs)
  const isLeftOver = match.groups?.unfinished !== undefined && Date.now() - found.mtimeMs > UNFINISHED_MS
  return [{ path, size: found.size, usedMs, isLeftOver }]
}
