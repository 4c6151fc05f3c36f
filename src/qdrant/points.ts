import type { PointId } from '../core/types.ts'
import { notUnderstood } from './errors.ts'
import { isObject } from './json.ts'

/** Qdrant's default limit for a query and for a prefetch. */
export const DEFAULT_QUERY_LIMIT = 10

/** Most numbers of a dense vector. */
export const MOST_DIMENSIONS = 65_536

/** Points that are asked for at a time, with their payloads: the texts of a thousand large chunks would not fit into one answer. */
export const POINTS_OF_PAGE = 200

/** A point in the result of a scroll. */
interface ListedPoint {
  id: PointId
  payload?: unknown
  vector?: unknown
  score?: unknown
}

/** A point in the result of a query. */
export interface ScoredPoint extends ListedPoint {
  score: number
}

/** Reads the `result` of a scroll. @throws StowageError `upstream_error` on another shape */
export function readListedPoints(result: unknown): ListedPoint[] {
  const points = isObject(result) ? result.points : null
  if (!Array.isArray(points)) throw notUnderstood('no list of points')
  return points.map(point => ({ ...point, id: readPointId(isObject(point) ? point.id : null) }))
}

/** Reads the `result` of a query. @throws StowageError `upstream_error` on another shape */
export function readScoredPoints(result: unknown): ScoredPoint[] {
  return readListedPoints(result).map(point => ({ ...point, score: readScore(point.score) }))
}

/** Reads a whole number from 0, or a UUID. @throws StowageError `upstream_error` on anything else */
export function readPointId(id: unknown): PointId {
  if (typeof id === 'string' || typeof id === 'bigint') return id
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id
  throw notUnderstood('a point without an id')
}

/** @throws StowageError `upstream_error` on anything but a finite number */
export function readScore(score: unknown): number {
  if (typeof score === 'number' && Number.isFinite(score)) return score
  throw notUnderstood('a point without a score')
}

/** Whether the scores of a metric are distances: the nearest point has the smallest score. */
export function isDistanceMetric(metric: string): boolean {
  return metric === 'Euclid' || metric === 'Manhattan'
}

/** Whether the scores of a ranked list are distances, for lists of an unknown metric. Equal scores count as similarities. */
export function hasRisingScores(points: readonly { score: number }[]): boolean {
  return areDistances(points, false)
}

/** Whether the scores of a ranked list are distances, which the order of the list tells. @param otherwise when all are equal */
export function areDistances(points: readonly { score: number }[], otherwise: boolean): boolean {
  const [first = 0, last = 0] = [points.at(0)?.score, points.at(-1)?.score]
  return first === last ? otherwise : first < last
}
