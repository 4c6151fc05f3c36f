import type { PointId } from '../../core/types.ts'
import { comparePointIds } from '../wire/point-id.ts'

/** A row of a collection with a value to rank it by (larger is better). */
export interface RankedRow {
  row: number
  value: number
}

/** Keeps the best rows of a stream: larger value first, then smaller id, so that equal input gives equal output. */
export class TopHits {
  private readonly limit: number
  private readonly idOf: (row: number) => PointId
  private readonly accept: (row: number) => boolean
  private hits: RankedRow[] = []
  private floor = Number.NEGATIVE_INFINITY

  /** @param accept asked only for rows whose value could still make the list. */
  constructor(limit: number, idOf: (row: number) => PointId, accept: (row: number) => boolean) {
    this.limit = limit
    this.idOf = idOf
    this.accept = accept
  }

  offer(row: number, value: number): void {
    if (value < this.floor || !this.accept(row)) return
    this.hits.push({ row, value })
    if (this.hits.length >= 2 * this.limit + 64) this.prune()
  }

  ranked(): RankedRow[] {
    this.prune()
    return this.hits
  }

  private prune(): void {
    this.hits.sort((a, b) => b.value - a.value || comparePointIds(this.idOf(a.row), this.idOf(b.row)))
    if (this.hits.length <= this.limit) return
    this.hits.length = this.limit
    this.floor = this.hits.at(-1)?.value ?? this.floor
  }
}
