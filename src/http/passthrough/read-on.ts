import type { Socket } from 'node:net'
import { isReset } from '../../qdrant/errors.ts'

const changed = new WeakSet<Socket>()

type Done = (error?: Error | null) => void

/**
 * Lets a socket read on after a failed write. A server may answer and close while the request body is still being sent. Node ends a
 * socket at the first failed write, with the answer unread in the buffer of the system. Here such a write only stops the sending;
 * the socket ends when there is no more to read.
 */
export function readOnAfterFailedWrites(socket: Socket): void {
  if (changed.has(socket)) return
  changed.add(socket)
  const { _write, _writev } = socket
  const afterReading =
    (done: Done): Done =>
    error => {
      if (!isReset(error) || socket.readableEnded || socket.destroyed) done(error)
      else socket.once('end', () => done(error))
    }
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, afterReading(done))
  if (_writev) socket._writev = (chunks, done) => _writev.call(socket, chunks, afterReading(done))
}
