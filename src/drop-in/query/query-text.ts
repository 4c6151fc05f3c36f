import type { UnderstoodQuery } from './understand.ts'

/** What a reranker is asked with is no longer than `POST /v1/context` takes. */
const LONGEST_QUERY = 8192

export interface QueryText {
  text: string | null
  /** What kept a text from being found, for `x-stowage-degraded`. */
  degraded: string[]
}

/**
 * The words behind a vector search, from the first source that has them: the header `x-stowage-query` (percent-encoded
 * UTF-8), an inference object, a full-text condition of a filter.
 */
export function findQueryText(header: string | undefined, query: UnderstoodQuery): QueryText {
  const fromHeader = readHeader(header)
  const degraded = fromHeader.malformed ? ['query_header_malformed'] : []
  const text = tidy(fromHeader.text) ?? textOfInference(query) ?? textOfFilters(query)
  return { text, degraded }
}

function readHeader(header: string | undefined): { text: string | null; malformed: boolean } {
  if (header === undefined) return { text: null, malformed: false }
  try {
    if (/[^\x20-\x7e]/.test(header)) return { text: null, malformed: true }
    return { text: decodeURIComponent(header), malformed: false }
  } catch {
    return { text: null, malformed: true }
  }
}

function textOfInference({ prefetches }: UnderstoodQuery): string | null {
  for (const prefetch of prefetches) {
    const text = tidy(prefetch.text)
    if (text !== null) return text
  }
  return null
}

function textOfFilters({ filter, prefetches }: UnderstoodQuery): string | null {
  for (const raw of [filter, ...prefetches.map(prefetch => prefetch.filter)]) {
    const texts = raw === null ? [] : matchedTexts(JSON.parse(raw))
    if (texts.length > 0) return tidy(texts.join(' '))
  }
  return null
}

/** Distinct texts that a filter's full-text conditions look for, in their order; what it must not match is no query. */
function matchedTexts(filter: unknown): string[] {
  const texts = new Set<string>()
  const ahead: unknown[] = [filter]
  while (ahead.length > 0) {
    const node = ahead.pop()
    if (typeof node !== 'object' || node === null) continue
    const children: unknown[] = []
    for (const [key, value] of Object.entries(node)) {
      if (key === 'match') for (const text of textsOfMatch(value)) texts.add(text)
      else if (key !== 'must_not') children.push(value)
    }
    ahead.push(...children.reverse())
  }
  return [...texts]
}

function textsOfMatch(match: unknown): string[] {
  if (typeof match !== 'object' || match === null) return []
  const conditions = new Map<string, unknown>(Object.entries(match))
  return ['text', 'phrase', 'text_any'].flatMap(key => {
    const text = tidy(conditions.get(key))
    return text === null ? [] : [text]
  })
}

function tidy(text: unknown): string | null {
  const tidied = typeof text === 'string' ? text.trim().slice(0, LONGEST_QUERY) : ''
  return tidied === '' ? null : tidied
}
