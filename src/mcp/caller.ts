import type { Tenant } from '../tenants/tenant.ts'
import { sha256 } from '../text/fingerprint.ts'

/** What a caller may do: read passages and traces, or change collections for everybody. */
export type Right = 'read' | 'operate'

/** Who calls the tools. */
export interface McpCaller {
  /** Null without tenants, and for an operator. */
  tenant: Tenant | null
  /** The key for Qdrant; null sends none. */
  apiKey: string | null
  rights: ReadonlySet<Right>
}

/** A tenant reads what is its own. */
export function tenantCaller(tenant: Tenant): McpCaller {
  return { tenant, apiKey: tenant.upstreamKey, rights: new Set<Right>(['read']) }
}

/** An operator beside tenants. It reads no passages, because it is none of the tenants. @param apiKey the configured key for Qdrant */
export function operatorCaller(apiKey: string | null): McpCaller {
  return { tenant: null, apiKey, rights: new Set<Right>(['operate']) }
}

/** Without tenants, Qdrant alone decides what a key may do. */
export function openCaller(apiKey: string | null): McpCaller {
  return { tenant: null, apiKey, rights: new Set<Right>(['read', 'operate']) }
}

/** Names a caller without showing its key. Two callers with the same name see the same traces and jobs. */
export function ownerOf({ tenant, apiKey, rights }: McpCaller): string {
  return sha256(JSON.stringify(tenant === null ? { apiKey, reads: rights.has('read') } : { tenant: tenant.name }))
}
