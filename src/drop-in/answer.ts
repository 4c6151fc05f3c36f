import type { RetrievedHit, RetrievedList } from '../core/types.ts'
import type { Caller } from '../pipeline/context-request.ts'
import type { ChoosePoints, ChoosePointsRequest } from '../pipeline/services.ts'
import { hasRisingScores } from '../qdrant/distance.ts'
import { printJson } from '../qdrant/json.ts'
import { findDocumentField, findOrderField, readChunk, valueAt } from '../qdrant/payload.ts'
import { type PayloadPlace, placesFilter } from '../qdrant/places-filter.ts'
import { NotImproved } from './failure.ts'
import { denseVectorOf, type PointSlice, printPoint } from './points/point-slices.ts'
import { ownScores, reassignScores } from './points/scores.ts'
import type { QueryText } from './query/query-text.ts'
import type { UnderstoodQuery } from './query/understand.ts'
import { fetchPoints, type UpstreamCall } from './upstream-search.ts'

/** One search of the client with its lists, one per prefetch, best first. */
export interface RetrievedQuery {
  query: UnderstoodQuery
  words: QueryText
  collection: string
  lists: PointSlice[][]
}

export interface ImprovedPoints {
  /** Printed points, best first: at most the client's limit, behind its offset. */
  points: string[]
  applied: string[]
  degraded: string[]
  traceId: string
}

/**
 * Lets the pipeline choose among the retrieved points and prints its choice as Qdrant would have printed it.
 * @throws NotImproved when there were points and none was chosen
 */
export async function improvePoints(
  { query, words, collection, lists }: RetrievedQuery,
  choosePoints: ChoosePoints,
  call: UpstreamCall,
  caller: Caller,
): Promise<ImprovedPoints> {
  const scored = lists.map((points, index) => ({ points, asked: query.prefetches[index]?.limit ?? 0 }))
  const own = ownScores(scored, query.fusion)
  const admitted = lists.map(points => points.filter(({ key }) => reachesBound(own.get(key), query)))
  const known = new Map(admitted.flat().map(point => [point.key, point]))
  const found = known.size

  const wanted = query.offset + query.limit
  const choice = await choosePoints(
    {
      query: words.text,
      lists: admitted.map((points, index) => toRetrievedList(points, index, query, collection)),
      limit: wanted,
      // A neighbour has no score of its own, so it cannot be said to reach a bound.
      fetchNeighbours: query.scoreThreshold === null ? neighbourFetch(query, collection, known, call) : null,
    },
    caller,
  )
  const chosen = distinct(choice.chosen.flatMap(({ chunk }) => known.get(String(chunk.id)) ?? [])).slice(0, wanted)
  if (chosen.length === 0 && found > 0) throw new NotImproved('nothing_chosen', `of ${found} points`)

  const distance = query.fusion === null && lists.some(hasRisingScores)
  const scores = reassignScores(
    chosen.map(({ key }) => own.get(key) ?? null),
    { distance },
  )
  return {
    points: chosen.map((point, place) => printPoint(point, scores[place] ?? 0, query.payload)).slice(query.offset),
    applied: choice.applied,
    degraded: [...words.degraded, ...choice.degraded.map(({ code }) => code)],
    traceId: choice.traceId,
  }
}

/** Qdrant bounds a fused score from below, inclusively; a single search was bounded by Qdrant itself. */
function reachesBound(score: number | undefined, { fusion, scoreThreshold }: UnderstoodQuery): boolean {
  if (fusion === null || scoreThreshold === null) return true
  return score !== undefined && score >= Math.fround(Number(scoreThreshold))
}

function toRetrievedList(
  points: PointSlice[],
  index: number,
  query: UnderstoodQuery,
  collection: string,
): RetrievedList {
  const { kind, using } = query.prefetches[index] ?? { kind: 'other', using: null }
  // The pipeline knows one direction only: greater is better.
  const sign = hasRisingScores(points) ? -1 : 1
  const hits = points.map((point): RetrievedHit => {
    const vector = kind === 'dense' ? denseVectorOf(point, using) : null
    return { chunk: readChunk(point, collection), score: sign * point.score, ...(vector === null ? {} : { vector }) }
  })
  return { source: `prefetch[${index}]`, kind, hits }
}

/** Fetches neighbours as points of their own; those that are new join the known ones. */
function neighbourFetch(
  query: UnderstoodQuery,
  collection: string,
  known: Map<string, PointSlice>,
  call: UpstreamCall,
): ChoosePointsRequest['fetchNeighbours'] {
  return async places => {
    const examples = new Map([...known.values()].map(point => [readChunk(point, collection).docId, point]))
    const filter = placesFilter(
      places.flatMap(({ docId, orderIndex }) => payloadPlace(examples.get(docId)?.payload, orderIndex)),
    )
    if (filter === null) return []
    const points = await fetchPoints(query, printJson(filter), places.length, call)
    for (const point of points) if (!known.has(point.key)) known.set(point.key, point)
    return points.map(point => readChunk(point, collection))
  }
}

/** A place in the document of a payload, in the fields where that payload has its own; none where it has no such fields. */
function payloadPlace(payload: unknown, orderIndex: number): PayloadPlace[] {
  const documentField = findDocumentField(payload)
  const orderField = findOrderField(payload)
  if (documentField === null || orderField === null) return []
  return [{ documentField, document: valueAt(payload, documentField), orderField, orderIndex }]
}

function distinct(points: PointSlice[]): PointSlice[] {
  return [...new Map(points.map(point => [point.key, point])).values()]
}
