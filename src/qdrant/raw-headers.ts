/** Raw header lists as Node and undici give them: `[name, value, name, value, …]`, with spelling, order and duplicates. */

/** The pairs of a raw header list. */
export function* headerPairs(rawHeaders: readonly string[]): Generator<[name: string, value: string]> {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) yield [rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']
}

/** The first value of a header, by its lower-case name; null when it is absent. */
export function headerValue(rawHeaders: readonly string[], name: string): string | null {
  for (const [key, value] of headerPairs(rawHeaders)) if (key.toLowerCase() === name) return value
  return null
}
