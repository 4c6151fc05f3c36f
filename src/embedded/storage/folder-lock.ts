import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Lock files of this process. In a container every run may have the same pid, so a lock with our pid may be an old one. */
const held = new Set<string>()

/**
 * Locks a folder for this process with a `lock` file that holds its pid. The lock of a dead process is replaced.
 * @returns the function that unlocks the folder
 * @throws Error that names the process that holds the folder
 */
export function lockFolder(folder: string): () => void {
  const file = join(resolve(folder), 'lock')
  if (held.has(file)) throw new Error(`${folder} is already open in this process`)
  if (existsSync(file)) {
    const holder = Number.parseInt(readFileSync(file, 'utf8'), 10)
    if (holder !== process.pid && isAlive(holder)) {
      throw new Error(`${folder} is in use by process ${holder}. If that process is not stowage, remove ${file}`)
    }
    rmSync(file)
  }
  // `wx` fails when another process has locked the folder since.
  writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
  held.add(file)
  return () => {
    held.delete(file)
    rmSync(file, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
