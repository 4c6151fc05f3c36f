import { connect, createServer, type Socket } from 'node:net'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { listen } from '../../support/listen.ts'

export type BreakableQdrant = Awaited<ReturnType<typeof startBreakableQdrant>>

/** An embedded engine behind a TCP relay on a port of its own, so that the connection can die as with a killed process. */
export async function startBreakableQdrant() {
  const engine = await startEmbeddedServer()
  const sockets = new Set<Socket>()
  let silent = false
  let reached = () => {}
  const relay = (client: Socket) => {
    const upstream = connect(engine.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    upstream.pipe(client)
    client.on('data', bytes => {
      reached()
      if (!silent) upstream.write(bytes)
    })
  }
  let server = createServer(relay)
  const url = await listen(server)
  return {
    url,
    /** From now on requests arrive and are never answered; resolves when the next one has. */
    fallSilent(): Promise<void> {
      silent = true
      return new Promise(resolve => {
        reached = resolve
      })
    },
    /** The process is gone: every connection breaks and new ones are refused. */
    async kill(): Promise<void> {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    /** It is back on the same port, with its data. */
    async revive(): Promise<void> {
      silent = false
      server = createServer(relay)
      await listen(server, Number(new URL(url).port))
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      server.close()
      await engine.close()
    },
  }
}
