import { writeSync } from 'node:fs'

interface LogLinesOptions {
  /** Called when lines can be written again after some were dropped. */
  onResumed(dropped: number): void
  /** Writes a part of the bytes and returns how many. Throws when it can write none. Default: to stderr. */
  write?: (bytes: Buffer) => number
}

/** Lines that wait for their reader: about 4,000. More are dropped. */
const MOST_WAITING_BYTES = 1024 * 1024
const RETRY_MS = 20
const STDERR = 2
/** A process that ends waits this long for a reader that is slow. */
const LAST_WAIT_MS = 500

let droppedByProcess = 0

/** The lines of the log that this process has dropped since its start. */
export function droppedLogLines(): number {
  return droppedByProcess
}

/**
 * Writes each line at once, so that the last one before a crash is there. While it cannot be written, because the reader of a pipe stands still or a disk is
 * full, lines wait in memory up to a limit. A log that nobody reads must not stop the service.
 */
export function openLogLines({ onResumed, write = writeToStderr }: LogLinesOptions) {
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let dropped = 0

  /** @returns null when all is written, else why the next bytes cannot be */
  function writeWaiting(): string | null {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      try {
        const written = write(first)
        waitingBytes -= written
        if (written === first.length) waiting.shift()
        else waiting[0] = first.subarray(written)
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? 'unknown'
      }
    }
    return null
  }

  function writeLast(): void {
    const until = performance.now() + LAST_WAIT_MS
    while (writeWaiting() === 'EAGAIN' && performance.now() < until) sleep(RETRY_MS)
  }

  function begin(): void {
    if (writeWaiting() === null) return
    process.once('exit', writeLast)
    setTimeout(retry, RETRY_MS).unref()
  }

  function retry(): void {
    if (writeWaiting() !== null) {
      setTimeout(retry, RETRY_MS).unref()
      return
    }
    process.off('exit', writeLast)
    const lost = dropped
    dropped = 0
    if (lost > 0) onResumed(lost)
  }

  return {
    /** It never waits. */
    write(line: string): void {
      const bytes = Buffer.from(line)
      if (waiting.length > 0 && waitingBytes + bytes.length > MOST_WAITING_BYTES) {
        dropped += 1
        droppedByProcess += 1
        return
      }
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (waiting.length === 1) begin()
    },
  }
}

/** Not in the types of Node: the handle of a pipe or socket. */
type WithHandle = { _handle?: { setBlocking?(blocking: boolean): unknown } }

function writeToStderr(bytes: Buffer): number {
  // A full pipe refuses bytes only in this mode. All processes that share the pipe share the mode, and each start of a child ends it.
  if (!process.stderr.isTTY) (process.stderr as WithHandle)._handle?.setBlocking?.(false)
  return writeSync(STDERR, bytes)
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
