import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { PassthroughOptions } from '../../../src/http/passthrough/passthrough.ts'
import type { createStage } from '../../support/stage.ts'

type Stage = ReturnType<typeof createStage>

/** The URL of a stowage before an upstream that answers with `handler`. */
export async function proxyBefore(
  stage: Stage,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<PassthroughOptions> = {},
): Promise<string> {
  return (await stage.serveBefore(await stage.listen(http.createServer(handler)), options)).url
}

/** A stowage before an upstream that speaks bytes. */
export async function proxyBeforeBytes(
  stage: Stage,
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; server: Server }> {
  const { url, server } = await stage.listenBytes(onConnection)
  return { url: (await stage.serveBefore(url)).url, server }
}
