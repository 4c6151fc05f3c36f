import type { Readable, Writable } from 'node:stream'

/**
 * Writes what comes from one message to another, no faster than that takes it, and calls `onEnd` after the last byte. `pipe` would do the same
 * with three times as many listeners, for each of the two messages of a request.
 * @returns stops the flow; `from` then stands still
 */
export function flow(from: Readable, to: Writable, onEnd: () => void): () => void {
  const onData = (part: Buffer) => {
    if (to.destroyed || !to.write(part)) from.pause()
  }
  const onDrain = () => from.resume()
  from.on('data', onData).on('end', onEnd)
  to.on('drain', onDrain)
  if (!to.writableNeedDrain) from.resume()
  return () => {
    from.off('data', onData).off('end', onEnd).pause()
    to.off('drain', onDrain)
  }
}
