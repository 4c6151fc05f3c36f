import type { Degradation, RetrievedHit, RetrievedList } from '../core/types.ts'
import type { Caller } from '../pipeline/caller.ts'
import type { PlanDecision } from '../pipeline/plan/decision.ts'
import type { ChoosePoints, ChoosePointsRequest } from '../pipeline/services.ts'
import type { PayloadMapping } from '../qdrant/payload/read-chunk.ts'
import { hasRisingScores } from '../qdrant/points.ts'
import { rankedDepth } from './depth.ts'
import type { NamedPoints } from './fetching/named-documents.ts'
import { fetchNeighbours } from './fetching/neighbours.ts'
import type { FetchPoints } from './fetching/upstream-search.ts'
import { NotImproved } from './not-improved.ts'
import { distinct, inOwnOrder, isReadable, withOthers, withUnreadable } from './points/order.ts'
import { denseVectorOf, type PointSlice, printPoint } from './points/point-slices.ts'
import { ownScores, reassignScores } from './points/scores.ts'
import type { QueryText } from './query/query-text.ts'
import type { UnderstoodQuery } from './query/understand.ts'

/** One search of the client with its retrieved lists, one per prefetch. */
interface RetrievedQuery {
  query: UnderstoodQuery
  words: QueryText
  lists: PointSlice[][]
  /** Least number of hits that was asked of each list. */
  depth: number
  /** Of the documents that the question names. */
  named: NamedPoints
  /** What was missing before the points are chosen, beside what the question lacked. */
  degraded: readonly Degradation[]
  collection: string
  /** Payload fields of the collection; undefined when they have usual names. */
  mapping: PayloadMapping | undefined
  decision: PlanDecision
  sessionId: string | null
  batchId: string | null
  /** How the request ends, for the trace. */
  ending: ChoosePointsRequest['ending']
}

export interface ImprovedPoints {
  /** Printed points, best first, between the client's offset and limit. */
  points: string[]
  applied: string[]
  degraded: string[]
  traceId: string
  /** As in the trace. */
  recallProxy: number | null
  tokens: number
}

/**
 * Chooses points with the pipeline and prints them in Qdrant's format.
 * @param fetchPoints null when no neighbours may be fetched
 * @throws NotImproved when there were points and none was chosen
 */
export async function improvePoints(
  { query, words, lists: retrieved, depth, named, degraded, mapping, ...asked }: RetrievedQuery,
  choosePoints: ChoosePoints,
  fetchPoints: FetchPoints | null,
  caller: Caller,
): Promise<ImprovedPoints> {
  const searched = readSearch(query, retrieved, { depth, named })
  const { known, window, lists } = searched
  const found = known.size
  if (found > 0 && !window.some(isReadable)) throw new NotImproved('no_passage_text', `of ${found} points`)
  const choice = await choosePoints(
    {
      ...asked,
      query: words.text,
      querySource: words.source,
      degraded: [...words.degraded, ...degraded],
      ...(named.points.length > 0 && { namedDocuments: named.documents }),
      lists: words.text === null && lists.length > 1 ? [asOneList(window, lists)] : lists,
      limit: query.offset + query.limit,
      fetchNeighbours:
        fetchPoints === null || hasThreshold(query) ? null : fetchNeighbours(query, known, fetchPoints, mapping),
    },
    caller,
  )
  const picked = choice.chosen.flatMap(({ chunk }) => known.get(String(chunk.id)) ?? [])
  if (picked.length === 0 && found > 0) throw new NotImproved('nothing_chosen', `of ${found} points`)
  return {
    points: printPage(arrange(picked, choice.duplicates, searched), searched, query),
    applied: choice.applied,
    degraded: [...words.degraded, ...choice.degraded].map(({ code }) => code),
    traceId: choice.traceId,
    recallProxy: choice.recallProxy,
    tokens: choice.tokens,
  }
}

/** What the client's search has found. */
interface Searched {
  /** All points, by key. Fetched neighbours are added. */
  known: Map<string, PointSlice>
  /** Qdrant's scores for the client's own request, by key. */
  own: ReadonlyMap<string, number>
  /** Whether smaller scores are better. */
  isDistance: boolean
  /** All points in the order that Qdrant gives them. */
  ordered: PointSlice[]
  /** Those of them that are ranked: of a single search the first, of a fusion all. */
  window: PointSlice[]
  lists: RetrievedList[]
}

/** @param named points of one list that are ranked behind its others */
function readSearch(
  query: UnderstoodQuery,
  searched: PointSlice[][],
  { depth, named }: { depth: number; named: NamedPoints },
): Searched {
  const { fusion, prefetches } = query
  const namedIn = (at: number) => (at === named.list ? named.points : [])
  const ranked = prefetches.map(prefetch => rankedDepth(prefetch, depth))
  const depths = ranked.map((own, at) => own + namedIn(at).length)
  const retrieved = searched.map((points, at) => withNamed(points, namedIn(at), ranked[at] ?? 0))
  const scored = retrieved.map((points, at) => ({ points, asked: prefetches[at]?.limit ?? 0 }))
  const own = ownScores(scored, fusion)
  const admitted = retrieved.map(points => points.filter(({ key }) => reachesThreshold(own.get(key), query)))
  const known = new Map(admitted.flat().map(point => [point.key, point]))
  const ordered = inOwnOrder(known, own, fusion !== null)
  const lists = admitted.map((points, at) => toRetrievedList(points.slice(0, depths[at]), at, query))
  return {
    ...{ known, own, ordered, lists },
    isDistance: fusion === null && searched.some(hasRisingScores),
    window: fusion === null ? ordered.slice(0, Math.max(...depths)) : ordered,
  }
}

/** A list with further points behind those that are ranked, each point once. */
function withNamed(points: PointSlice[], named: readonly PointSlice[], depth: number): PointSlice[] {
  return named.length === 0 ? points : distinct([...points.slice(0, depth), ...named, ...points.slice(depth)])
}

/** All points in the order of the answer, of which a page shows a part. */
function arrange(
  picked: readonly PointSlice[],
  duplicates: ReadonlySet<string>,
  { window, ordered }: Searched,
): PointSlice[] {
  const ranked = withOthers(picked, window.filter(isReadable), duplicates)
  return distinct([...withUnreadable(ranked, window), ...ordered])
}

/** Prints the points between the client's offset and limit. The scores are those of the whole order, so they do not rise from page to page. */
function printPage(points: readonly PointSlice[], { own, isDistance }: Searched, query: UnderstoodQuery): string[] {
  const [from, to] = [query.offset, query.offset + query.limit]
  const scores = reassignScores(
    points.map(({ key }) => own.get(key) ?? null),
    { distance: isDistance },
  ).slice(from, to)
  return points.slice(from, to).map((point, at) => printPoint(point, scores[at] ?? 0, query.payload))
}

/** A neighbour has no score, so it cannot reach a threshold. */
function hasThreshold({ scoreThreshold, prefetches }: UnderstoodQuery): boolean {
  return scoreThreshold !== null || prefetches.some(prefetch => prefetch.scoreThreshold !== null)
}

/** Whether a fused score is at least the threshold. Qdrant itself has already applied the threshold of a single search. */
function reachesThreshold(score: number | undefined, { fusion, scoreThreshold }: UnderstoodQuery): boolean {
  if (fusion === null || scoreThreshold === null) return true
  return score !== undefined && score >= Math.fround(Number(scoreThreshold))
}

/**
 * Points as one list in the order that Qdrant gives them. Without a question nothing is known that ranks better than the client's own search;
 * only duplicates give way. The scores are reciprocal ranks, which have no ties.
 */
function asOneList(points: readonly PointSlice[], lists: readonly RetrievedList[]): RetrievedList {
  const hits = new Map<string, RetrievedHit>()
  for (const hit of lists.flatMap(list => list.hits)) {
    const key = String(hit.chunk.id)
    if (hits.get(key)?.vector === undefined) hits.set(key, hit)
  }
  const ordered = points.flatMap(({ key }) => hits.get(key) ?? [])
  return { source: 'fusion', kind: 'other', hits: ordered.map((hit, place) => ({ ...hit, score: 1 / (place + 1) })) }
}

function toRetrievedList(points: PointSlice[], index: number, query: UnderstoodQuery): RetrievedList {
  const { kind, using } = query.prefetches[index] ?? { kind: 'other', using: null }
  // In the pipeline, greater scores are better.
  const sign = hasRisingScores(points) ? -1 : 1
  const hits = points.map((point): RetrievedHit => {
    const vector = kind === 'dense' ? denseVectorOf(point, using) : null
    return { chunk: point.chunk, score: sign * point.score, ...(vector === null ? {} : { vector }) }
  })
  return { source: `prefetch[${index}]`, kind, hits }
}
