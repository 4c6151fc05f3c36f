import { ftruncateSync, writeSync } from 'node:fs'
import { EngineError } from '../errors.ts'

/** The file calls that fail when the disk is full. Tests put failing ones in their place. */
export interface Disk {
  /** Writes at a position and returns the number of bytes written, which may be fewer than given. */
  write(file: number, bytes: Uint8Array, position: number): number
  truncate(file: number, size: number): void
}

export const nodeDisk: Disk = {
  write: (file, bytes, position) => writeSync(file, bytes, 0, bytes.length, position),
  truncate: ftruncateSync,
}

/** Writes all bytes at a position. @throws the error of the disk; a part may then be written */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += disk.write(file, bytes.subarray(done), position + done)
}

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Refuses a write that the disk did not take: 507 when there is no space, else 500. */
export function refusedByDisk(error: unknown): EngineError {
  const { code, message } = error as NodeJS.ErrnoException
  return code !== undefined && NO_SPACE.has(code)
    ? new EngineError(507, `Service internal error: No space left on device: the change is not stored (${code})`)
    : new EngineError(500, `Service internal error: the change is not stored: ${message}`)
}
