import type { Readable, Writable } from 'node:stream'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ZodError } from 'zod'

/**
 * Serves one client, a message per line, until it closes its end. Calls that are running then are cancelled.
 * @param onFault called with the kind of fault of a message that cannot be used, and with no text of it; a line of more than 10 MiB ends the service
 */
export async function serveStdio(
  server: Server,
  { input, out, onFault }: { input: Readable; out: Writable; onFault: (fault: string) => void },
): Promise<void> {
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve
  })
  server.onerror = error => onFault(faultOf(error))
  const end = () => void server.close()
  input.once('end', end).once('close', end)
  await server.connect(new StdioServerTransport(input, out))
  await closed
}

/** The messages of these errors quote the line, which is the text of a user. */
function faultOf(error: Error): string {
  if (error instanceof SyntaxError) return 'a line is not JSON'
  if (error instanceof ZodError) return 'a line is not a message of JSON-RPC 2.0'
  return error.message.startsWith('ReadBuffer exceeded') ? 'a line is too long' : 'a message breaks the protocol'
}
