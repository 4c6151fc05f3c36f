import type { ChoosePointsRequest } from '../../pipeline/services.ts'
import { printJson } from '../../qdrant/json.ts'
import { findDocumentField, findOrderField, type PayloadMapping } from '../../qdrant/payload/read-chunk.ts'
import { valueAt } from '../../qdrant/payload/value-at.ts'
import { limitForPlaces, type PayloadPlace, placesFilter } from '../../qdrant/places-filter.ts'
import { isReadable } from '../points/order.ts'
import { lacksVector, type PointSlice } from '../points/point-slices.ts'
import type { UnderstoodQuery } from '../query/understand.ts'
import type { FetchPoints } from './upstream-search.ts'

/** A fetch of neighbours as points, which adds new ones to `known`. */
export function fetchNeighbours(
  query: UnderstoodQuery,
  known: Map<string, PointSlice>,
  fetchPoints: FetchPoints,
  mapping: PayloadMapping | undefined,
): ChoosePointsRequest['fetchNeighbours'] {
  return async places => {
    const examples = new Map([...known.values()].map(point => [point.chunk.docId, point]))
    const filter = placesFilter(
      places.flatMap(({ docId, orderIndex }) => payloadPlace(examples.get(docId)?.payload, orderIndex, mapping)),
    )
    if (filter === null) return []
    const fetched = await fetchPoints(query, printJson(filter), limitForPlaces(places.length))
    // A search finds no point without the vector that it compares.
    const points = fetched.filter(point => query.prefetches.some(({ using }) => !lacksVector(point, using)))
    for (const point of points) if (!known.has(point.key)) known.set(point.key, point)
    return points.filter(isReadable).map(({ chunk }) => chunk)
  }
}

/** A place in the document of a payload, under the field names of that payload; empty when it lacks such fields. */
function payloadPlace(payload: unknown, orderIndex: number, mapping: PayloadMapping | undefined): PayloadPlace[] {
  const documentField = findDocumentField(payload, mapping)
  const orderField = findOrderField(payload, mapping)
  if (documentField === null || orderField === null) return []
  return [{ documentField, document: valueAt(payload, documentField), orderField, orderIndex }]
}
