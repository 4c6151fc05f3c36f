import { filterHeaders, headerPairs } from '../../qdrant/raw-headers.ts'

/** Header fields that apply to a single connection (RFC 9110, 7.6.1). All others are forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Removes the hop-by-hop fields and those that `Connection` names from a raw header list. Keeps spelling, order and duplicates
 * of the others.
 * @param alsoDropped more names to remove, in lower case
 */
export function endToEndHeaders(rawHeaders: readonly string[], alsoDropped: readonly string[] = []): string[] {
  const named = namedByConnection(rawHeaders)
  return filterHeaders(
    rawHeaders,
    name => !HOP_BY_HOP.has(name) && !alsoDropped.includes(name) && !named.includes(name),
  )
}

function namedByConnection(rawHeaders: readonly string[]): string[] {
  const names: string[] = []
  for (const [name, value] of headerPairs(rawHeaders)) {
    if (name.toLowerCase() === 'connection') names.push(...value.split(',').map(part => part.trim().toLowerCase()))
  }
  // Without these two fields the next server could not read the message.
  return names.filter(name => name !== 'content-length' && name !== 'host')
}
