import { RANKING_GRACE_MS } from '../../pipeline/pacing/pace.ts'
import { namedDocuments } from '../../pipeline/retrieval/named-documents.ts'
import { type DocumentFilter, documentConditions } from '../../qdrant/documents-filter.ts'
import { printJson } from '../../qdrant/json.ts'
import { isOwn } from '../../qdrant/payload/read-chunk.ts'
import { rankedDepth } from '../depth.ts'
import type { PointSlice } from '../points/point-slices.ts'
import type { UnderstoodQuery } from '../query/understand.ts'
import { and, searchLists, type UpstreamCall } from './upstream-search.ts'

/** A search of the client with the lists that it has found. */
export interface FoundLists {
  query: UnderstoodQuery
  /** Null without a question. */
  text: string | null
  /** One list per prefetch. */
  lists: readonly (readonly PointSlice[])[]
  /** Least number of hits that was asked of each list. */
  depth: number
}

/** What a search has of the documents that its question names. */
export interface NamedPoints {
  documents: readonly string[]
  /** Number of the list that has these points, behind its ranked ones. */
  list: number
  /** Points of these documents that are not among the ranked ones of the list, best first. */
  points: readonly PointSlice[]
}

export const NOTHING_NAMED: NamedPoints = { documents: [], list: -1, points: [] }

interface Limits {
  /** Documents of a search. */
  most: number
  /** Points of a search. */
  hits: number
}

/**
 * Searches once more in the documents that the questions name, by the dense vector, the filters and the threshold of each search. A search with several dense lists, or
 * none, is left as it is.
 *
 * @param findFilter how points are filtered by document; null where there is no quick way
 * @returns one result for each search, in their order
 * @throws NotImproved or StowageError
 */
export async function searchNamed(
  searches: readonly FoundLists[],
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
    const list = denseList(search.query)
    const known = new Set(rankedPoints(search, list).map(({ key }) => key))
    const points = (lists.shift()?.[0] ?? []).filter(({ key }) => !known.has(key))
    return { documents: named[at] ?? [], list, points }
  })
}

async function documentsOf(search: FoundLists, most: number, { pace }: UpstreamCall): Promise<string[]> {
  const { query, text } = search
  if (text === null || denseList(query) < 0) return []
  const points = query.prefetches.flatMap((_, at) => rankedPoints(search, at))
  const chunks = points.filter(({ payload }) => !isOwn(payload)).map(({ chunk }) => chunk)
  return pace.run(namedDocuments(text, chunks, most), RANKING_GRACE_MS)
}

/** The search of some documents alone; null without a condition. */
function within(query: UnderstoodQuery, should: readonly object[], hits: number): UnderstoodQuery | null {
  if (should.length === 0) return null
  const filter = and([query.filter, printJson({ should })])
  const prefetches = query.prefetches.slice(denseList(query)).slice(0, 1)
  return {
    ...query,
    filter,
    prefetches: prefetches.map(prefetch => ({ ...prefetch, limit: hits })),
    fusion: null,
    offset: 0,
    limit: hits,
  }
}

/** The number of the only dense list; -1 where there are several, or none. */
function denseList({ prefetches }: UnderstoodQuery): number {
  const isDense = ({ kind }: UnderstoodQuery['prefetches'][number]) => kind === 'dense'
  return prefetches.filter(isDense).length === 1 ? prefetches.findIndex(isDense) : -1
}

/** The points of a list that are ranked. They are the same on each page of a search, so the pages fit together. */
function rankedPoints({ query: { prefetches }, lists, depth }: FoundLists, at: number): readonly PointSlice[] {
  const prefetch = prefetches[at]
  return prefetch === undefined ? [] : (lists[at] ?? []).slice(0, rankedDepth(prefetch, depth))
}
