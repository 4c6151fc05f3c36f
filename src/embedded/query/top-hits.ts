import type { PointId } from '../../core/types.ts'
import { comparePointIds } from '../wire/point-id.ts'

/** A point with the value that it is ranked by (larger is better). */
export interface RankedPoint {
  id: PointId
  value: number
}

/** Keeps the best of the points that are offered: larger value first, then smaller id, or larger id if asked for. */
export class TopHits {
  private readonly limit: number
  private readonly accept: (id: PointId) => boolean
  private readonly idSign: number
  private readonly hits: RankedPoint[] = []
  private least = Number.NEGATIVE_INFINITY

  /** @param accept called only for points whose value is large enough */
  constructor(limit: number, accept: (id: PointId) => boolean = () => true, largerIdFirst = false) {
    this.limit = limit
    this.accept = accept
    this.idSign = largerIdFirst ? -1 : 1
  }

  offer(id: PointId, value: number): void {
    if (value < this.least || !this.accept(id)) return
    this.hits.push({ id, value })
    if (this.hits.length >= 2 * this.limit + 64) this.prune()
  }

  best(): RankedPoint[] {
    this.prune()
    return this.hits
  }

  private prune(): void {
    const { hits, limit, idSign } = this
    hits.sort((a, b) => b.value - a.value || idSign * comparePointIds(a.id, b.id))
    if (hits.length <= limit) return
    hits.length = limit
    this.least = hits.at(-1)?.value ?? this.least
  }
}
