import { headerPairs } from '../../qdrant/raw-headers.ts'

/** Header fields that speak of one connection only (RFC 9110, 7.6.1) and so end here; all others travel end to end. */
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
 * A raw header list without the hop-by-hop fields and those that `Connection` names.
 * Spelling, order and duplicates of the rest are kept.
 */
export function endToEndHeaders(rawHeaders: readonly string[], alsoDropped: readonly string[] = []): string[] {
  const dropped = new Set([...HOP_BY_HOP, ...alsoDropped, ...namedByConnection(rawHeaders)])
  const kept: string[] = []
  for (const [name, value] of headerPairs(rawHeaders)) {
    if (!dropped.has(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

function namedByConnection(rawHeaders: readonly string[]): string[] {
  const names: string[] = []
  for (const [name, value] of headerPairs(rawHeaders)) {
    if (name.toLowerCase() === 'connection') names.push(...value.split(',').map(part => part.trim().toLowerCase()))
  }
  // A sender that lists the framing or the host there would make the message unreadable further on.
  return names.filter(name => name !== 'content-length' && name !== 'host')
}
