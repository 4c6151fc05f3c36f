import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../pipeline/context-request.ts'

/** Maps a client's key to its tenant, null in open mode. Throws StowageError `unauthorized` for a key it does not know. */
export type TenantOf = (apiKey: string | null) => string | null

/** The client's key as Qdrant reads it: header `api-key` first, then `Authorization: Bearer`. */
export function apiKeyOf(request: IncomingMessage): string | null {
  const header = request.headers['api-key']
  if (typeof header === 'string' && header !== '') return header
  return /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** Who asks; the signal aborts when the client goes away before its answer is out. */
export function callerOf(request: IncomingMessage, response: ServerResponse, tenantOf: TenantOf): Caller {
  const apiKey = apiKeyOf(request)
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client went away'))
  })
  return { apiKey, tenant: tenantOf(apiKey), signal: gone.signal }
}
