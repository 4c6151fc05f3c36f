import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

/**
 * Serves one client, a message per line, until it closes its end. Calls that are running then are cancelled.
 * @param onError called with messages that cannot be read; a line of more than 10 MiB ends the service
 */
export async function serveStdio(
  server: Server,
  { input, out, onError }: { input: Readable; out: Writable; onError: (error: Error) => void },
): Promise<void> {
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve
  })
  server.onerror = onError
  const end = () => void server.close()
  input.once('end', end).once('close', end)
  await server.connect(new StdioServerTransport(input, out))
  await closed
}
