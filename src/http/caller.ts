import type { IncomingMessage, ServerResponse } from 'node:http'
import { StowageError } from '../core/errors.ts'
import type { Reporter } from '../observe/events.ts'
import type { Caller } from '../pipeline/caller.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { StepResponse } from './step.ts'

/** The key of the client. Like in Qdrant, the header `api-key` comes before `Authorization: Bearer`. */
export function apiKeyOf(request: IncomingMessage): string | null {
  const header = request.headers['api-key']
  if (typeof header === 'string' && header !== '') return header
  return /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** The tenant that `authenticate` found; null in open mode. */
export function tenantOf(response: StepResponse): Tenant | null {
  return (response.locals.tenant as Tenant | undefined) ?? null
}

/** The caller of a request. With tenants, it is the tenant that `authenticate` found, and the client's key goes no further. */
export function callerOf(request: IncomingMessage, response: StepResponse): Caller {
  return callerFor(tenantOf(response), apiKeyOf(request), goneSignal(response))
}

/** @param tenant null in open mode, where the client's key goes on to Qdrant */
export function callerFor(tenant: Tenant | null, apiKey: string | null, signal: AbortSignal): Caller {
  return { apiKey: tenant === null ? apiKey : tenant.upstreamKey, tenant, signal }
}

/** Counts a refusal by the rights of a tenant, and throws the error again. Qdrant's own refusal of the key of a tenant is `upstream_error`. */
export function countRefusal(
  error: unknown,
  { tenant }: Caller,
  { guardRefused }: Pick<Reporter, 'guardRefused'>,
): never {
  if (tenant !== null && error instanceof StowageError && error.code === 'forbidden')
    guardRefused({ status: error.status })
  throw error
}

/** Aborts when the client disconnects before the answer is sent. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client disconnected'))
  })
  return gone.signal
}
