import {
  appendFileSync,
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
} from 'node:fs'
import { join } from 'node:path'
import { Engine } from '../engine.ts'
import { lockFolder } from './folder-lock.ts'
import { applyLine, changeLine, stateLines } from './log-lines.ts'
import { readLines } from './read-lines.ts'

/**
 * An engine whose data is kept in a folder, in one log of changes. A change is in the log before it is answered, so it
 * survives a killed process; the log is not flushed to the disk after each change, so it may not survive a power cut.
 * Opening the folder reads the log and replaces it by a shorter one that gives the same state.
 */
export class FolderStore {
  readonly engine: Engine
  private readonly file: string
  private readonly unlock: () => void
  private readonly log: number

  /** @throws Error when the folder is in use, cannot be written, or its log is damaged */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.file = join(folder, 'log.jsonl')
    this.unlock = lockFolder(folder)
    try {
      if (readdirSync(folder).some(name => /^(?:snapshot|log-\d+)\.jsonl$/.test(name)))
        throw new Error(`${folder} holds data of an older version of stowage: use another folder and ingest again`)
      this.engine = new Engine(change => this.append(`${changeLine(this.engine, change)}\n`))
      this.replay()
      this.compact()
      this.log = openSync(this.file, 'a')
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  close(): void {
    fsyncSync(this.log)
    closeSync(this.log)
    this.unlock()
  }

  private append(line: string): void {
    const { size } = fstatSync(this.log)
    try {
      appendFileSync(this.log, line)
    } catch (error) {
      // Half a line would make the next one unreadable.
      ftruncateSync(this.log, size)
      throw error
    }
  }

  /** A line that a killed process left half written is dropped: its change was never answered. */
  private replay(): void {
    closeSync(openSync(this.file, 'a'))
    let number = 0
    for (const line of readLines(this.file)) {
      number++
      try {
        applyLine(this.engine, line)
      } catch (cause) {
        throw new Error(`${this.file} is damaged at line ${number}: ${(cause as Error).message}`, { cause })
      }
    }
  }

  /** Writes the state to a new file, which then takes the place of the log in one step. */
  private compact(): void {
    const file = openSync(`${this.file}.new`, 'w')
    try {
      for (const line of stateLines(this.engine)) appendFileSync(file, `${line}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${this.file}.new`, this.file)
  }
}
