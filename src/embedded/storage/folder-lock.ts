import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Folders this process holds: in a container every run may have the same pid, so a pid of one's own proves nothing. */
const held = new Set<string>()

/**
 * Claims a folder for this process by a `lock` file with its pid; a lock whose process is gone is taken over.
 * @returns the function that gives the folder back.
 * @throws Error naming the holder when a living process has it.
 */
export function lockFolder(folder: string): () => void {
  const file = join(resolve(folder), 'lock')
  if (held.has(file)) throw new Error(`${folder} is already open in this process`)
  if (!claim(file)) {
    const holder = readHolder(file)
    if (holder !== process.pid && isAlive(holder)) {
      throw new Error(`${folder} is in use by process ${holder}; if that is not a stowage, remove ${file}`)
    }
    unlinkSync(file)
    if (!claim(file)) throw new Error(`${folder} has just been taken by another process`)
  }
  held.add(file)
  return () => {
    held.delete(file)
    unlinkSync(file)
  }
}

function claim(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readHolder(file: string): number {
  return Number.parseInt(readFileSync(file, 'utf8'), 10)
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
