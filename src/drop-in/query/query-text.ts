import { isDeepStrictEqual } from 'node:util'
import type { Degradation, JsonObject, QuerySource } from '../../core/types.ts'
import { LONGEST_QUERY } from '../../pipeline/context-request.ts'
import { isObject } from '../../qdrant/json.ts'
import type { UnderstoodQuery } from './understand.ts'

/**
 * Fewest words of full-text conditions that are taken as the question. One or two words say which points are wanted, and not what is asked:
 * ranked by them, the answer is worse than Qdrant's own.
 */
const LEAST_WORDS = 3

export interface QueryText {
  text: string | null
  source: Exclude<QuerySource, 'request'>
  degraded: Degradation[]
}

/** Finds the question whose vector a search has; null when it is not known. It never rejects. */
export type FindQuestion = (vector: readonly number[]) => Promise<string | null>

/**
 * Finds the text of a vector search in the first source that has one: the header `x-stowage-query` (percent-encoded UTF-8), an
 * inference object, the memory of the embedding relay, or the full-text conditions of a filter, when they have three words or more.
 * @param findQuestion asks the relay; null when there is none
 * @param forced the condition that the guard has put into each filter, which is no word of the client; null without one
 */
export async function findQueryText(
  header: string | undefined,
  query: UnderstoodQuery,
  findQuestion: FindQuestion | null = null,
  forced: JsonObject | null = null,
): Promise<QueryText> {
  const fromHeader = decodeHeader(header)
  const degraded: Degradation[] =
    fromHeader === null ? [{ code: 'query_header_malformed', detail: 'x-stowage-query is not percent-encoded' }] : []
  const found = (text: string, source: QueryText['source']): QueryText => ({ text, source, degraded })
  const inHeader = tidy(fromHeader)
  if (inHeader !== null) return found(inHeader, 'header')
  const inInference = textOfInference(query)
  if (inInference !== null) return found(inInference, 'inference')
  const vectors = findQuestion === null ? [] : queryVectors(query)
  for (const vector of vectors) {
    const remembered = tidy(await findQuestion?.(vector))
    if (remembered !== null) return found(remembered, 'relay')
  }
  const inFilters = textOfFilters(query, forced)
  if (inFilters !== null) return found(inFilters, 'filter')
  if (vectors.length > 0)
    degraded.push({ code: 'question_unknown', detail: 'the relay knows no question with the vector of the search' })
  return { text: null, source: 'none', degraded }
}

/** The decoded header, '' when it is absent; null when it is malformed. */
function decodeHeader(header = ''): string | null {
  try {
    return /[^\x20-\x7e]/.test(header) ? null : decodeURIComponent(header)
  } catch {
    return null
  }
}

function textOfInference({ prefetches }: UnderstoodQuery): string | null {
  return prefetches.map(({ text }) => tidy(text)).find(text => text !== null) ?? null
}

/** The dense vectors of a search, each once, in the order of its prefetches: bare numbers, or numbers under `nearest`. */
function queryVectors({ prefetches }: UnderstoodQuery): number[][] {
  const dense = prefetches.filter(({ kind, text }) => kind === 'dense' && text === null)
  return [...new Set(dense.map(({ query }) => query))].map(raw => {
    const parsed: number[] | { nearest: number[] } = JSON.parse(raw)
    return Array.isArray(parsed) ? parsed : parsed.nearest
  })
}

function textOfFilters({ filter, prefetches }: UnderstoodQuery, forced: JsonObject | null): string | null {
  for (const raw of [filter, ...prefetches.map(prefetch => prefetch.filter)]) {
    const texts = raw === null ? [] : matchedTexts(withoutForced(JSON.parse(raw), forced))
    const text = tidy(texts.join(' '))
    if (text !== null && text.split(/\s+/u).length >= LEAST_WORDS) return text
  }
  return null
}

/** What the client demands in a filter that the guard has written. */
function withoutForced(filter: unknown, forced: JsonObject | null): unknown {
  if (forced === null || !isObject(filter) || !Array.isArray(filter.must)) return filter
  const [first, ...own] = filter.must
  return isDeepStrictEqual(first, forced) ? own : filter
}

/** The distinct texts of all full-text conditions in a filter, in order, without those under `must_not`. */
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
  return ['text', 'phrase', 'text_any'].flatMap(key => tidy(conditions.get(key)) ?? [])
}

function tidy(text: unknown): string | null {
  const tidied = typeof text === 'string' ? text.trim().slice(0, LONGEST_QUERY) : ''
  return tidied === '' ? null : tidied
}
