import type { IncomingMessage } from 'node:http'
import { sha256 } from '../text/fingerprint.ts'

/** Names the key for Qdrant with which the searches will come. It stays here. */
export const SCOPE_HEADER = 'x-stowage-api-key'

/** Who asks. With tenants, the key is of no account. */
export interface Asker {
  tenant: { readonly name: string } | null
  /** Null when none was sent. */
  apiKey: string | null
}

const OPEN = 'open'

/** The scope in which a question is remembered: that of the tenant, else that of the key, else the one of all who name none. */
export function scopeOf({ tenant, apiKey }: Asker): string {
  if (tenant !== null) return `tenant ${tenant.name}`
  // Hashed, so that no key of a client stays in memory.
  return apiKey === null ? OPEN : `key ${sha256(apiKey)}`
}

/** The scope of a request to embed. */
export function scopeOfRequest({ headers }: IncomingMessage, tenant: Asker['tenant']): string {
  return scopeOf({ tenant, apiKey: headers[SCOPE_HEADER]?.toString() || null })
}

/** The scopes in which a search looks, the own one first. A tenant finds only what it embedded itself. */
export function searchedScopes(asker: Asker): string[] {
  return asker.tenant === null ? [...new Set([scopeOf(asker), OPEN])] : [scopeOf(asker)]
}
