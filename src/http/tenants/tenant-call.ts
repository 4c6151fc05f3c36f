import { StowageError } from '../../core/errors.ts'
import type { QdrantAnswer, QdrantHttp } from '../../qdrant/client.ts'
import { concernsRequest, statusFailure } from '../../qdrant/errors.ts'
import { headerValue } from '../../qdrant/raw-headers.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { headersOfOwnRead } from '../passthrough/own-reads.ts'

/** What the calls to Qdrant that stowage makes itself for one request of a tenant share. */
export interface TenantCall {
  http: QdrantHttp
  tenant: Tenant
  /** Raw header pairs for Qdrant, the upstream key included. */
  headers: readonly string[]
  signal: AbortSignal
}

interface TenantRead {
  method: 'GET' | 'POST'
  /** The whole target, encoded. */
  target: string
  /** JSON; null for none. */
  body: string | null
}

/**
 * Reads from Qdrant for a tenant.
 * @returns an answer with status 200, or a refusal (4xx) that concerns the request
 * @throws StowageError on a failure of Qdrant, and when Qdrant refuses the upstream key, which is not the key of the tenant
 */
export async function readForTenant(
  { method, target, body }: TenantRead,
  { http, headers, signal }: TenantCall,
): Promise<QdrantAnswer> {
  const answer = await http.readRaw({ method, path: target, headers: headersOfOwnRead(headers, body), body, signal })
  const { status } = answer
  const failure = hiddenFailure(status, headerValue(answer.headers, 'retry-after'))
  if (failure !== null) throw failure
  if (status === 200 || status >= 400) return answer
  throw statusFailure(status, '')
}

/**
 * What a tenant sees of an answer that does not concern its own request: a failure of Qdrant, a redirection, or a refusal of the upstream key.
 * Null for all other answers.
 */
export function hiddenFailure(status: number, retryAfter: string | null): StowageError | null {
  if (concernsRequest(status)) return null
  if (status === 401 || status === 403) return new StowageError('upstream_error', 'Qdrant refused the key of stowage')
  return statusFailure(status, '', retryAfter)
}
