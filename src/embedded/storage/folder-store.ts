import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Engine } from '../engine.ts'
import { applyLine, changeLine, stateLines } from './change-lines.ts'
import { lockFolder } from './folder-lock.ts'
import { readLines } from './lines.ts'

/** A log shorter than this is never compacted while running. */
const SMALLEST_COMPACTED_LOG = 256 * 2 ** 20

/**
 * An engine whose changes are kept in a folder: `snapshot.jsonl` and the log of changes since, `log-<generation>.jsonl`.
 * A change is in the log (handed to the system, so safe from a killed process, not from a power cut) before it is answered.
 * The snapshot's first line names the log that continues it, so a crash between the two files loses and repeats nothing.
 */
export class FolderStore {
  readonly engine: Engine
  private readonly folder: string
  private readonly unlock: () => void
  private generation = 0
  private log: number
  private logBytes = 0
  private snapshotBytes = 0

  /** @throws Error when the folder is in use, cannot be written, or holds a damaged file. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.folder = folder
    this.unlock = lockFolder(folder)
    try {
      this.engine = new Engine(change => this.append(changeLine(this.engine, change)))
      this.load()
      this.log = openSync(this.logFile(), 'a')
    } catch (error) {
      this.unlock()
      throw error
    }
  }

  /** Compacts what has changed and gives the folder back. */
  close(): void {
    if (this.logBytes > 0) this.compact()
    closeSync(this.log)
    this.unlock()
  }

  private append(line: string): void {
    const bytes = Buffer.from(`${line}\n`)
    try {
      appendFileSync(this.log, bytes)
    } catch (error) {
      // Half a line would make the next one unreadable.
      ftruncateSync(this.log, this.logBytes)
      throw error
    }
    this.logBytes += bytes.length
    if (this.logBytes <= Math.max(SMALLEST_COMPACTED_LOG, 2 * this.snapshotBytes)) return
    try {
      this.compact()
    } catch {
      // The change is safe in the log; a snapshot that does not fit now is tried again when the log has doubled.
      this.snapshotBytes = this.logBytes
    }
  }

  private load(): void {
    if (existsSync(this.snapshotFile())) {
      this.generation = -1
      this.snapshotBytes = this.read(this.snapshotFile(), line => {
        if (this.generation === -1) this.generation = readGeneration(line)
        else applyLine(this.engine, line)
      })
    }
    if (existsSync(this.logFile())) {
      this.logBytes = this.read(this.logFile(), line => applyLine(this.engine, line))
      // A line that a killed process left half written was never answered.
      truncateSync(this.logFile(), this.logBytes)
    }
    for (const name of readdirSync(this.folder)) {
      const stale = /^log-\d+\.jsonl$/.test(name) || name === 'snapshot.jsonl.new'
      if (stale && join(this.folder, name) !== this.logFile()) unlinkSync(join(this.folder, name))
    }
  }

  private read(file: string, apply: (line: string) => void): number {
    let bytes = 0
    let number = 0
    for (const { text, end } of readLines(file)) {
      number++
      try {
        apply(text)
      } catch (cause) {
        throw new Error(`${file} is damaged at line ${number}: ${(cause as Error).message}`, { cause })
      }
      bytes = end
    }
    return bytes
  }

  private compact(): void {
    const fresh = `${this.snapshotFile()}.new`
    const file = openSync(fresh, 'w')
    let bytes = 0
    try {
      bytes += writeSync(file, `{"stowage_snapshot":1,"generation":${this.generation + 1}}\n`)
      for (const line of stateLines(this.engine)) {
        const encoded = Buffer.from(`${line}\n`)
        appendFileSync(file, encoded)
        bytes += encoded.length
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(fresh, this.snapshotFile())
    const old = this.logFile()
    closeSync(this.log)
    this.generation++
    this.log = openSync(this.logFile(), 'a')
    this.logBytes = 0
    this.snapshotBytes = bytes
    if (existsSync(old)) unlinkSync(old)
  }

  private snapshotFile(): string {
    return join(this.folder, 'snapshot.jsonl')
  }

  private logFile(): string {
    return join(this.folder, `log-${this.generation}.jsonl`)
  }
}

function readGeneration(line: string): number {
  const header: unknown = JSON.parse(line)
  if (typeof header === 'object' && header !== null && 'stowage_snapshot' in header && 'generation' in header) {
    if (header.stowage_snapshot === 1 && Number.isInteger(header.generation)) return Number(header.generation)
  }
  throw new Error('not a snapshot of this version of stowage')
}
