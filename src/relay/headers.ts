import type { IncomingMessage } from 'node:http'
import { isDecodable } from '../http/body/decode-body.ts'
import { apiKeyOf } from '../http/caller.ts'
import { filterHeaders, headerPairs, headerValue } from '../qdrant/raw-headers.ts'
import { SCOPE_HEADER } from './scopes.ts'

/** How keys are handled where there are tenants. */
export interface RelayKeys {
  /** Whether stowage itself knows this key: that of a tenant or of an operator. It goes to nobody else. */
  isOwn(key: string): boolean
  /** The key that a tenant without one of its own is lent; null for none. */
  lent: string | null
}

/** The raw headers that go on without tenants: as they came, but for the one that only names a scope. */
export function openHeaders({ rawHeaders }: IncomingMessage): string[] {
  return filterHeaders(rawHeaders, name => name !== SCOPE_HEADER)
}

/**
 * The raw headers that go on for a tenant: as they came, without every key of stowage. Without another `Authorization`, the lent key takes its
 * place.
 */
export function tenantRelayHeaders(request: IncomingMessage, { isOwn, lent }: RelayKeys): string[] {
  const key = apiKeyOf(request)
  const isSecret = (value: string) =>
    (key !== null && value.includes(key)) || isOwn(value.trim()) || isOwn(value.replace(/^\s*\S+\s+/, '').trim())
  const kept = filterHeaders(
    request.rawHeaders,
    (name, value) => name !== 'api-key' && name !== SCOPE_HEADER && !isSecret(value),
  )
  const isKeyed = headerValue(kept, 'authorization') !== null
  return [...kept, ...(isKeyed || lent === null ? [] : ['Authorization', `Bearer ${lent}`])]
}

/** The headers, asking for no content coding that stowage cannot undo: the vectors of such an answer would never be known. */
export function withDecodableCodings(rawHeaders: readonly string[]): string[] {
  return [...headerPairs(rawHeaders)].flatMap(([name, value]) => {
    if (name.toLowerCase() !== 'accept-encoding' || value.includes('*')) return [name, value]
    const asked = value.split(',')
    const kept = asked.filter(one => isDecodable(one.replace(/;.*$/su, '')))
    // An empty value means the same as this one, and some servers do not know it.
    return [name, kept.length === asked.length ? value : kept.join(',').trim() || 'identity']
  })
}
