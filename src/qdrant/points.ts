import type { PointId } from '../core/types.ts'
import { notUnderstood } from './errors.ts'

/** A point as Qdrant lists it: a record of a scroll. */
export interface ListedPoint {
  id: PointId
  payload?: unknown
  vector?: unknown
  score?: unknown
}

/** A point as a query answers it. */
export interface ScoredPoint extends ListedPoint {
  score: number
}

/** The points of a scroll's `result`. @throws StowageError `upstream_error` on a result of another shape */
export function readListedPoints(result: unknown): ListedPoint[] {
  const points = isObject(result) ? result.points : null
  if (!Array.isArray(points)) throw notUnderstood('no list of points')
  return points.map(point => ({ ...point, id: readPointId(isObject(point) ? point.id : null) }))
}

/** The points of a query's `result`. @throws StowageError `upstream_error` on a result of another shape */
export function readScoredPoints(result: unknown): ScoredPoint[] {
  return readListedPoints(result).map(point => ({ ...point, score: readScore(point.score) }))
}

/** A whole number from 0, or a UUID. @throws StowageError `upstream_error` on anything else */
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
