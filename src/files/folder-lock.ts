import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'

/** How often a process shows that it lives. */
const BEAT_MS = 10_000
/** After so long without a sign of life, a process that cannot be asked is dead. */
const DEAD_MS = 60_000

/** Lock files of this process. In a container every run may have the same pid, so a lock with our pid may be an old one. */
const held = new Set<string>()

interface Holder {
  /** Not a number while its process still writes it. */
  pid: number
  host: string
}

/**
 * Locks a folder for this process with a `lock` file that holds its pid and its host, and is touched every 10 seconds. The lock of a dead process is replaced. A process of
 * another host or container cannot be asked, so it is dead after a minute without a touch.
 * @param name of the folder in errors, such as `SETTING=folder`
 * @param remedy a sentence for the error: what to do while another process of stowage holds the folder; '' for none
 * @returns the function that unlocks the folder
 * @throws Error that names the process that holds the folder
 */
export function lockFolder(folder: string, name = folder, remedy = ''): () => void {
  const file = join(resolve(folder), 'lock')
  if (held.has(file)) throw new Error(`${name} is already open in this process`)
  if (existsSync(file)) removeDead(file, name, remedy)
  writeLock(file)
  held.add(file)
  const beats = setInterval(() => touch(file), BEAT_MS).unref()
  return () => {
    clearInterval(beats)
    held.delete(file)
    rmSync(file, { force: true })
  }
}

/** @throws Error when the lock cannot be written, or another process has locked the folder since */
function writeLock(file: string): void {
  const lock = openSync(file, 'wx')
  try {
    writeFileSync(lock, `${process.pid} ${hostname()}\n`)
  } catch (error) {
    // An empty lock would keep the folder closed for a minute after the disk has room again.
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(lock)
  }
}

function removeDead(file: string, name: string, remedy: string): void {
  const found = readFileSync(file, 'utf8')
  const { pid, host } = holderIn(found)
  if (!isDead({ pid, host }, file)) {
    const where = host === hostname() ? '' : ` of the host ${host}`
    const process = Number.isNaN(pid) ? 'another process' : `process ${pid}`
    const advice = [remedy, `If that process is not stowage, remove ${file}`].filter(Boolean).join(' ')
    throw new Error(`${name} is in use by ${process}${where}. ${advice}`)
  }
  // Of several processes that have found the same dead lock, one gets to rename it.
  const removed = `${file}-${randomUUID()}`
  renameSync(file, removed)
  const isOther = readFileSync(removed, 'utf8') !== found
  if (isOther) renameSync(removed, file)
  else rmSync(removed)
}

/** @param lock its pid, and the host, which older versions left out */
function holderIn(lock: string): Holder {
  const [pid = '', host = hostname()] = lock.trim().split(/\s+/)
  return { pid: Number.parseInt(pid, 10), host }
}

function isDead({ pid, host }: Holder, file: string): boolean {
  if (host === hostname() && !Number.isNaN(pid)) return pid === process.pid || !isAlive(pid)
  return Date.now() - statSync(file).mtimeMs > DEAD_MS
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

/** The folder may be gone, or full. */
function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {}
}
