import { nodeDisk } from '../../../src/embedded/storage/disk.ts'

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
}

/** A disk with a number of bytes left: the write that needs more writes what still fits and fails. */
export class LimitedDisk {
  space = Number.POSITIVE_INFINITY
  /** Whether files cannot even be shortened. */
  stuck = false
  private readonly ends = new Map<number, number>()

  write(file: number, bytes: Uint8Array, position: number): number {
    if (this.space <= 0) throw noSpace()
    const written = nodeDisk.write(file, bytes.subarray(0, Math.min(bytes.length, this.space)), position)
    this.space -= written
    this.ends.set(file, position + written)
    return written
  }

  truncate(file: number, size: number): void {
    if (this.stuck) throw noSpace()
    nodeDisk.truncate(file, size)
    this.space += Math.max(0, (this.ends.get(file) ?? size) - size)
    this.ends.set(file, size)
  }
}
