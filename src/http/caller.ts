import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../pipeline/context-request.ts'

/** Maps the key of a client to its tenant; null without tenants. @throws StowageError `unauthorized` on an unknown key */
export type TenantOf = (apiKey: string | null) => string | null

/** The key of the client. Like in Qdrant, the header `api-key` comes before `Authorization: Bearer`. */
export function apiKeyOf(request: IncomingMessage): string | null {
  const header = request.headers['api-key']
  if (typeof header === 'string' && header !== '') return header
  return /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** The caller of a request. Its signal aborts when the client disconnects before the answer is sent. */
export function callerOf(request: IncomingMessage, response: ServerResponse, tenantOf: TenantOf): Caller {
  const apiKey = apiKeyOf(request)
  return { apiKey, tenant: tenantOf(apiKey), signal: goneSignal(response) }
}

/** Aborts when the client disconnects before the answer is sent. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client disconnected'))
  })
  return gone.signal
}
