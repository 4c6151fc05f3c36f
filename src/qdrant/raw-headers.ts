/** Qdrant's own limit for the head of a request. A long percent-encoded `x-stowage-query` fits. */
export const MAX_HEADER_BYTES = 128 * 1024

/** Raw header lists of Node and undici: `[name, value, name, value, …]`. They keep spelling, order and duplicates. */

export function* headerPairs(rawHeaders: readonly string[]): Generator<[name: string, value: string]> {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) yield [rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']
}

/** The pairs that a test admits. Spelling, order and duplicates stay. @param keep gets the name in lower case */
export function filterHeaders(rawHeaders: readonly string[], keep: (name: string, value: string) => boolean): string[] {
  const kept: string[] = []
  // Every request passes here. A generator would take longer.
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    if (keep(name.toLowerCase(), value)) kept.push(name, value)
  }
  return kept
}

/** The first value of a header; null when it is absent. @param name in lower case */
export function headerValue(rawHeaders: readonly string[], name: string): string | null {
  for (const [key, value] of headerPairs(rawHeaders)) if (key.toLowerCase() === name) return value
  return null
}

/** The headers without those whose names `own` has, and then `own`. */
export function replaceHeaders(rawHeaders: readonly string[], own: readonly string[]): string[] {
  const replaced = new Set([...headerPairs(own)].map(([name]) => name.toLowerCase()))
  return [...filterHeaders(rawHeaders, name => !replaced.has(name)), ...own]
}
