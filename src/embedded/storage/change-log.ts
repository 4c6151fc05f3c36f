import { closeSync, fsyncSync } from 'node:fs'
import { type Disk, refusedByDisk, writeAll } from './disk.ts'

/**
 * The open log of a folder. It ends with a whole line at all times: what a failed write left behind is removed before the
 * next line is written, and as long as that is not possible each line is refused.
 */
export class ChangeLog {
  private readonly disk: Disk
  private readonly file: number
  /** Bytes of the whole lines. */
  private size: number
  /** Removes what stands behind the whole lines. */
  private mend: (() => void) | undefined
  private closed = false

  /** @param mend what has to be done before the first line is written */
  constructor(disk: Disk, file: number, size: number, mend?: () => void) {
    this.disk = disk
    this.file = file
    this.size = size
    this.mend = mend
  }

  /** @throws EngineError 507 when the disk is full, 500 when it fails otherwise; then the line is not in the log */
  append(line: string): void {
    if (this.closed) throw refusedByDisk(new Error('the folder is closed'))
    const bytes = Buffer.from(`${line}\n`)
    try {
      this.mendNow()
      writeAll(this.disk, this.file, bytes, this.size)
    } catch (error) {
      this.mend ??= () => this.disk.truncate(this.file, this.size)
      this.tryToMend()
      throw refusedByDisk(error)
    }
    this.size += bytes.length
  }

  close(): void {
    this.closed = true
    this.tryToMend()
    fsyncSync(this.file)
    closeSync(this.file)
  }

  private mendNow(): void {
    this.mend?.()
    this.mend = undefined
  }

  private tryToMend(): void {
    try {
      this.mendNow()
    } catch {
      // The next line tries again.
    }
  }
}
