import type { IncomingMessage } from 'node:http'
import { filterHeaders } from '../../qdrant/raw-headers.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { apiKeyOf } from '../caller.ts'

/**
 * Headers of a tenant that may go to Qdrant: content negotiation, ranges of a download, tracing, routing, the question and the session of a
 * search, and the keys of inference providers. No other header goes on, because one that a proxy in front of Qdrant understands could change what is asked for.
 */
const FORWARDED =
  /^(?:accept|accept-encoding|range|if-range|user-agent|via|x-forwarded-for|x-request-id|x-tracing-id|traceparent|tracestate|x-qdrant-route-affinity|x-stowage-(?:query|session)|.+-api-key)$/

/** Raw header pairs for Qdrant: the harmless ones of the client, and the upstream key in place of the tenant's key. */
export function tenantHeaders(client: IncomingMessage, tenant: Tenant): string[] {
  const key = apiKeyOf(client)
  const isHarmless = (name: string, value: string) => FORWARDED.test(name) && (key === null || !value.includes(key))
  const upstreamKey = tenant.upstreamKey === null ? [] : ['api-key', tenant.upstreamKey]
  return [...filterHeaders(client.rawHeaders, isHarmless), ...upstreamKey]
}
