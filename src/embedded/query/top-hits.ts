import type { PointId } from '../../core/types.ts'
import { comparePointIds } from '../wire/point-id.ts'

/** A point with the value that it is ranked by (larger is better). */
export interface RankedPoint {
  id: PointId
  value: number
}

/**
 * The best points: larger value first, then smaller id.
 * @param accept called only for points whose value is large enough
 */
export function topHits(points: Iterable<RankedPoint>, limit: number, accept: (id: PointId) => boolean): RankedPoint[] {
  const hits: RankedPoint[] = []
  let least = Number.NEGATIVE_INFINITY
  const prune = () => {
    hits.sort((a, b) => b.value - a.value || comparePointIds(a.id, b.id))
    if (hits.length <= limit) return
    hits.length = limit
    least = hits.at(-1)?.value ?? least
  }
  for (const point of points) {
    if (point.value < least || !accept(point.id)) continue
    hits.push(point)
    if (hits.length >= 2 * limit + 64) prune()
  }
  prune()
  return hits
}
