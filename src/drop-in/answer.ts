import type { Chunk, RetrievedHit, RetrievedList } from '../core/types.ts'
import type { Caller } from '../pipeline/context-request.ts'
import type { PlanDecision } from '../pipeline/plan/decision.ts'
import type { ChoosePoints, ChoosePointsRequest } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'
import { findDocumentField, findOrderField, type PayloadMapping, readChunk, valueAt } from '../qdrant/payload.ts'
import { type PayloadPlace, placesFilter } from '../qdrant/places-filter.ts'
import { hasRisingScores } from '../qdrant/points.ts'
import { NotImproved } from './not-improved.ts'
import { distinct, inOwnOrder, withOthers, withUnreadable } from './points/order.ts'
import { denseVectorOf, type PointSlice, printPoint } from './points/point-slices.ts'
import { ownScores, reassignScores } from './points/scores.ts'
import type { QueryText } from './query/query-text.ts'
import type { UnderstoodQuery } from './query/understand.ts'
import { type FetchPoints, rankedDepth } from './upstream-search.ts'

/** One search of the client with its retrieved lists, one per prefetch. */
interface RetrievedQuery {
  query: UnderstoodQuery
  words: QueryText
  lists: PointSlice[][]
  /** Payload fields of the collection; undefined when they have usual names. */
  mapping: PayloadMapping | undefined
  /** Decoded name. */
  collection: string
  decision: PlanDecision
  sessionId: string | null
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
 * @throws NotImproved when there were points and none was chosen
 */
export async function improvePoints(
  { query, words, lists: retrieved, collection, mapping, decision, sessionId }: RetrievedQuery,
  choosePoints: ChoosePoints,
  fetchPoints: FetchPoints,
  caller: Caller,
): Promise<ImprovedPoints> {
  const scored = retrieved.map((points, index) => ({ points, asked: query.prefetches[index]?.limit ?? 0 }))
  const own = ownScores(scored, query.fusion)
  const admitted = retrieved.map(points => points.filter(({ key }) => reachesThreshold(own.get(key), query)))
  const known = new Map(admitted.flat().map(point => [point.key, point]))
  const found = known.size
  const ordered = inOwnOrder(known, own, query.fusion !== null)
  const depths = query.prefetches.map(prefetch => rankedDepth(prefetch, decision.plan.retrieval.pool))
  const window = query.fusion === null ? ordered.slice(0, Math.max(...depths)) : ordered

  const chunkOf = (point: PointSlice) => readChunk(point, collection, mapping)
  const lists = admitted.map((points, at) => toRetrievedList(points.slice(0, depths[at]), at, query, chunkOf))
  const readable = new Set(lists.flatMap(list => list.hits.filter(hasText).map(({ chunk }) => String(chunk.id))))
  if (found > 0 && readable.size === 0) throw new NotImproved('no_passage_text', `of ${found} points`)
  const isReadable = ({ key }: PointSlice) => readable.has(key)
  const limit = query.offset + query.limit
  const choice = await choosePoints(
    {
      query: words.text,
      querySource: words.source,
      degraded: words.degraded,
      lists: words.text === null && lists.length > 1 ? [asOneList(window, lists)] : lists,
      limit,
      decision,
      sessionId,
      // A neighbour has no score, so it cannot reach a threshold.
      fetchNeighbours:
        query.scoreThreshold === null ? neighbourFetch(query, known, chunkOf, fetchPoints, mapping) : null,
    },
    caller,
  )
  const picked = choice.chosen.flatMap(({ chunk }) => known.get(String(chunk.id)) ?? [])
  if (picked.length === 0 && found > 0) throw new NotImproved('nothing_chosen', `of ${found} points`)
  const ranked = withOthers(picked, window.filter(isReadable), choice.duplicates)
  const whole = distinct([...withUnreadable(ranked, window, isReadable), ...ordered])
  // Of the whole order, so that the scores of a later page are not above those of an earlier one.
  const scores = reassignScores(
    whole.map(({ key }) => own.get(key) ?? null),
    { distance: query.fusion === null && retrieved.some(hasRisingScores) },
  ).slice(query.offset, limit)
  return {
    points: whole
      .slice(query.offset, limit)
      .map((point, place) => printPoint(point, scores[place] ?? 0, query.payload)),
    applied: choice.applied,
    degraded: [...words.degraded, ...choice.degraded].map(({ code }) => code),
    traceId: choice.traceId,
    recallProxy: choice.recallProxy,
    tokens: choice.tokens,
  }
}

function hasText({ chunk }: Pick<RetrievedHit, 'chunk'>): boolean {
  return chunk.text.trim() !== ''
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

function toRetrievedList(
  points: PointSlice[],
  index: number,
  query: UnderstoodQuery,
  chunkOf: (point: PointSlice) => Chunk,
): RetrievedList {
  const { kind, using } = query.prefetches[index] ?? { kind: 'other', using: null }
  // In the pipeline, greater scores are better.
  const sign = hasRisingScores(points) ? -1 : 1
  const hits = points.map((point): RetrievedHit => {
    const vector = kind === 'dense' ? denseVectorOf(point, using) : null
    return { chunk: chunkOf(point), score: sign * point.score, ...(vector === null ? {} : { vector }) }
  })
  return { source: `prefetch[${index}]`, kind, hits }
}

/** Fetches neighbours as points and adds new ones to `known`. */
function neighbourFetch(
  query: UnderstoodQuery,
  known: Map<string, PointSlice>,
  chunkOf: (point: PointSlice) => Chunk,
  fetchPoints: FetchPoints,
  mapping: PayloadMapping | undefined,
): ChoosePointsRequest['fetchNeighbours'] {
  return async places => {
    const examples = new Map([...known.values()].map(point => [chunkOf(point).docId, point]))
    const filter = placesFilter(
      places.flatMap(({ docId, orderIndex }) => payloadPlace(examples.get(docId)?.payload, orderIndex, mapping)),
    )
    if (filter === null) return []
    const points = await fetchPoints(query, printJson(filter), places.length)
    for (const point of points) if (!known.has(point.key)) known.set(point.key, point)
    return points.map(chunkOf).filter(chunk => hasText({ chunk }))
  }
}

/** A place in the document of a payload, under the field names of that payload; empty when it lacks such fields. */
function payloadPlace(payload: unknown, orderIndex: number, mapping: PayloadMapping | undefined): PayloadPlace[] {
  const documentField = findDocumentField(payload, mapping)
  const orderField = findOrderField(payload, mapping)
  if (documentField === null || orderField === null) return []
  return [{ documentField, document: valueAt(payload, documentField), orderField, orderIndex }]
}
