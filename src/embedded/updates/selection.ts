import type { PointId } from '../../core/types.ts'
import { formatError } from '../errors.ts'
import type { Pace } from '../pace.ts'
import type { Collection, Point } from '../storage/collection.ts'
import { readPointId } from '../wire/point-id.ts'
import { isRecord, type JsonRecord, readList } from '../wire/shape.ts'

/** Reads `{points}` or `{filter}` and returns the points that exist. @param unknown thrown for the first given id that does not */
export async function selectPoints(
  collection: Collection,
  body: JsonRecord,
  pace: Pace,
  unknown?: (id: PointId) => Error,
): Promise<Point[]> {
  const found: Point[] = []
  if ((body.points ?? null) === null) {
    if (!isRecord(body.filter)) throw formatError('Either list of point ids or filter must be provided')
    for await (const point of collection.matching(body.filter, pace)) found.push(point)
    return found
  }
  for (const id of new Set(readList(body.points, 'points').map(readPointId))) {
    if (pace.isDue()) await pace.rest()
    const point = collection.get(id)
    if (point !== undefined) found.push(point)
    else if (unknown !== undefined) throw unknown(id)
  }
  return found
}
