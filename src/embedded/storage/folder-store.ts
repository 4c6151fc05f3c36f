import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../../files/folder-lock.ts'
import { linesOf } from '../../files/line-file.ts'
import { makeFolderSync } from '../../files/make-folder.ts'
import { Engine } from '../engine.ts'
import { ChangeLog } from './change-log.ts'
import { type Disk, nodeDisk, writeAll } from './disk.ts'
import { applyLine, stateLines } from './state-lines.ts'

const BUFFER_BYTES = 2 ** 20

export interface FolderStoreOptions {
  disk?: Disk | undefined
  /** Receives one sentence on each thing that an operator should know, such as lines that were left out. */
  report?: ((sentence: string) => void) | undefined
}

/** The folder with the setting that it comes from. */
const named = (folder: string) => `EMBEDDED_PATH=${folder}`

/** What to do while another process holds the folder. */
const ASK_THE_SERVER =
  'If it is `stowage serve`, let that server do the work: give its address as --url http://HOST:PORT where the command has this option, else as QDRANT_URL.'

/**
 * An engine whose data is kept in a folder, in one log of changes. A change is in the log before it is made in memory and
 * before it is answered, so it survives a killed process; the log is not flushed to the disk after each change, so it may
 * not survive a power cut. Opening the folder reads the log up to its last good line and replaces it by a shorter one that
 * gives the same state.
 */
export class FolderStore {
  readonly engine = new Engine(line => this.log.append(line()))
  private readonly file: string
  private readonly disk: Disk
  private readonly report: (sentence: string) => void
  private readonly unlock: () => void
  private log!: ChangeLog

  private constructor(folder: string, { disk = nodeDisk, report = reportToStderr }: FolderStoreOptions) {
    if (statSync(folder, { throwIfNoEntry: false })?.isFile())
      throw new Error(`${named(folder)} is a file; the embedded engine needs a folder`)
    makeFolderSync(folder)
    this.file = join(folder, 'log.jsonl')
    this.disk = disk
    this.report = report
    this.unlock = lockFolder(folder, named(folder), ASK_THE_SERVER)
  }

  /** @throws Error when the folder is in use, cannot be read, or is of an older version */
  static async open(folder: string, options: FolderStoreOptions = {}): Promise<FolderStore> {
    const store = new FolderStore(folder, options)
    try {
      if (readdirSync(folder).some(name => /^(?:snapshot|log-\d+)\.jsonl$/.test(name)))
        throw new Error(
          `${named(folder)} holds data of an older version of stowage: use another folder and ingest again`,
        )
      closeSync(openSync(store.file, 'a'))
      const good = await store.load()
      store.log = store.openLog(good)
      return store
    } catch (error) {
      store.unlock()
      throw error
    }
  }

  /** Waits for the write in progress. */
  async close(): Promise<void> {
    await this.engine.idle()
    this.log.close()
    this.unlock()
  }

  /** Applies the lines of the log up to the first that cannot be applied. Returns the bytes that they take. */
  private async load(): Promise<number> {
    let good = 0
    let number = 0
    for (const { line, end } of linesOf(this.file)) {
      number++
      try {
        await applyLine(this.engine, line.toString())
      } catch (error) {
        this.report(`${this.file} is damaged at line ${number}: ${(error as Error).message}`)
        break
      }
      good = end
    }
    return good
  }

  /** Moves what follows the good lines to a file beside the log, and shortens the log. A full disk only puts this off. */
  private openLog(good: number): ChangeLog {
    const { size } = statSync(this.file)
    const cut = () => {
      if (size > good) this.keepRest(good, size)
    }
    try {
      cut()
    } catch (error) {
      this.report(`${this.file} cannot be repaired yet, so writes are refused: ${(error as Error).message}`)
      const file = openSync(this.file, 'r+')
      return new ChangeLog(this.disk, file, good, () => {
        cut()
        this.disk.truncate(file, good)
      })
    }
    try {
      const shorter = this.compact()
      return new ChangeLog(this.disk, openSync(this.file, 'r+'), shorter)
    } catch (error) {
      rmSync(`${this.file}.new`, { force: true })
      this.report(`${this.file} cannot be shortened and is used as it is: ${(error as Error).message}`)
      const file = openSync(this.file, 'r+')
      return new ChangeLog(this.disk, file, good, size > good ? () => this.disk.truncate(file, good) : undefined)
    }
  }

  /** Copies the bytes from `good` on to a file of their own. */
  private keepRest(good: number, size: number): void {
    const rest = freeName(`${this.file}.cut`)
    try {
      copyPart(this.disk, this.file, rest, good)
    } catch (error) {
      rmSync(rest, { force: true })
      throw error
    }
    this.report(
      `${this.file}: the last ${size - good} bytes are no whole change. They are left out and kept in ${rest}`,
    )
  }

  /** Writes the state to a new file, which then takes the place of the log in one step. Returns its bytes. */
  private compact(): number {
    const file = openSync(`${this.file}.new`, 'w')
    let size = 0
    try {
      for (const line of stateLines(this.engine)) {
        const bytes = Buffer.from(`${line}\n`)
        writeAll(this.disk, file, bytes, size)
        size += bytes.length
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${this.file}.new`, this.file)
    return size
  }
}

/** Says something to the operator. */
export function reportToStderr(sentence: string): void {
  process.stderr.write(`stowage: ${sentence}\n`)
}

function freeName(prefix: string): string {
  let number = 1
  while (existsSync(`${prefix}-${number}`)) number++
  return `${prefix}-${number}`
}

function copyPart(disk: Disk, from: string, to: string, start: number): void {
  const source = openSync(from, 'r')
  const target = openSync(to, 'w')
  try {
    const buffer = Buffer.alloc(BUFFER_BYTES)
    let done = 0
    for (let size = readSync(source, buffer, 0, BUFFER_BYTES, start); size > 0; ) {
      writeAll(disk, target, buffer.subarray(0, size), done)
      done += size
      size = readSync(source, buffer, 0, BUFFER_BYTES, start + done)
    }
    fsyncSync(target)
  } finally {
    closeSync(source)
    closeSync(target)
  }
}
