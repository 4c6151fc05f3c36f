import { RANKING_GRACE_MS } from '../../pipeline/pacing/pace.ts'
import { namedDocuments } from '../../pipeline/retrieval/named-documents.ts'
import { type DocumentFilter, documentConditions } from '../../qdrant/documents-filter.ts'
import { printJson } from '../../qdrant/json.ts'
import { rankedDepth } from '../depth.ts'
import type { PointSlice } from '../points/point-slices.ts'
import type { UnderstoodQuery } from '../query/understand.ts'
import { and, searchLists, type UpstreamCall } from './upstream-search.ts'

/** A search of the client with the list that it has found. */
export interface FoundList {
  query: UnderstoodQuery
  /** Null without a question. */
  text: string | null
  points: readonly PointSlice[]
  /** Least number of hits that was asked. */
  depth: number
}

/** What a search has of the documents that its question names. */
export interface NamedPoints {
  documents: readonly string[]
  /** Points of these documents that are not among the ranked ones, best first. */
  points: readonly PointSlice[]
}

export const NOTHING_NAMED: NamedPoints = { documents: [], points: [] }

interface Limits {
  /** Documents of a search. */
  most: number
  /** Points of a search. */
  hits: number
}

/**
 * Searches once more in the documents that the questions name, by the clients' own vectors, filters and thresholds. Only single searches of a dense list are
 * extended: a fusion knows the ranks of its lists, which further hits would change.
 *
 * @param findFilter how points are filtered by document; null where there is no quick way
 * @returns one result for each search, in their order
 * @throws NotImproved or StowageError
 */
export async function searchNamed(
  searches: readonly FoundList[],
  { most, hits }: Limits,
  findFilter: () => Promise<DocumentFilter | null>,
  call: UpstreamCall,
): Promise<NamedPoints[]> {
  const named: string[][] = []
  for (const search of searches) named.push(await documentsOf(search, most, call))
  const filter = named.some(documents => documents.length > 0) ? await findFilter() : null
  if (filter === null) return searches.map(() => NOTHING_NAMED)
  const narrowed = searches.map(({ query }, at) => within(query, documentConditions(filter, named[at] ?? []), hits))
  const asked = narrowed.filter(query => query !== null)
  if (asked.length === 0) return searches.map(() => NOTHING_NAMED)
  const { lists } = await searchLists(
    asked,
    asked.map(() => hits),
    call,
    () => {},
  )
  return searches.map((search, at) => {
    if (narrowed[at] === null) return NOTHING_NAMED
    const known = new Set(rankedPoints(search).map(({ key }) => key))
    const points = (lists.shift()?.[0] ?? []).filter(({ key }) => !known.has(key))
    return { documents: named[at] ?? [], points }
  })
}

async function documentsOf(search: FoundList, most: number, { pace }: UpstreamCall): Promise<string[]> {
  const { query, text } = search
  const isSingle = query.fusion === null && query.prefetches.length === 1 && query.prefetches[0]?.kind === 'dense'
  if (text === null || !isSingle) return []
  const chunks = rankedPoints(search).map(({ chunk }) => chunk)
  return pace.run(namedDocuments(text, chunks, most), RANKING_GRACE_MS)
}

/** The search of some documents alone; null without a condition. */
function within(query: UnderstoodQuery, should: readonly object[], hits: number): UnderstoodQuery | null {
  if (should.length === 0) return null
  const filter = and([query.filter, printJson({ should })])
  const prefetches = query.prefetches.map(prefetch => ({ ...prefetch, limit: hits }))
  return { ...query, filter, prefetches, offset: 0, limit: hits }
}

/** The points that are ranked. They are the same on each page of a search, so the pages fit together. */
function rankedPoints({ query: { prefetches }, points, depth }: FoundList): readonly PointSlice[] {
  const [prefetch] = prefetches
  return prefetch === undefined ? [] : points.slice(0, rankedDepth(prefetch, depth))
}
