import type { Tenant } from './tenant.ts'

/**
 * Whether texts of a tenant may be sent to an endpoint: its base URL is one that the tenant allows, or below one. Host names have no case,
 * the default port is the same as none, and dots in paths are resolved before. Null stays on this machine, so it is always allowed.
 */
export function endpointAllowed(
  { contextEndpoints = [] }: Pick<Tenant, 'contextEndpoints'>,
  endpoint: string | null,
): boolean {
  if (endpoint === null) return true
  const asked = plainUrl(endpoint)
  return asked !== null && contextEndpoints.some(text => isBelow(asked, plainUrl(text)))
}

function isBelow(asked: URL, allowed: URL | null): boolean {
  if (allowed === null || asked.origin !== allowed.origin) return false
  return withSlash(asked.pathname).startsWith(withSlash(allowed.pathname))
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** The URL of a text; null when it is no http or https URL without user, query and fragment. */
export function plainUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isPlain = [url.username, url.password, url.search, url.hash].every(part => part === '')
  return isPlain && /^https?:$/u.test(url.protocol) ? url : null
}
