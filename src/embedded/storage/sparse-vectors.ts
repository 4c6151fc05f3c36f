import type { PointId } from '../../core/types.ts'
import { wrongInput } from '../errors.ts'
import { isSparse, type SparseArrays, type Vector } from '../wire/vector.ts'
import { VectorStore } from './vector-store.ts'

/** Sparse vectors with an inverted index: the points that have each dimension. */
export class SparseVectors extends VectorStore<SparseArrays> {
  private readonly idf: boolean
  private readonly holders = new Map<number, Set<PointId>>()

  /** @param idf whether queries are weighted by inverse document frequency */
  constructor(idf: boolean) {
    super()
    this.idf = idf
  }

  override set(id: PointId, vector: SparseArrays): void {
    this.remove(id)
    super.set(id, vector)
    for (const dimension of vector.indices) {
      const ids = this.holders.get(dimension)
      if (ids) ids.add(id)
      else this.holders.set(dimension, new Set([id]))
    }
  }

  override remove(id: PointId): void {
    for (const dimension of this.get(id)?.indices ?? []) {
      const ids = this.holders.get(dimension)
      ids?.delete(id)
      if (ids?.size === 0) this.holders.delete(dimension)
    }
    super.remove(id)
  }

  /** Points that share a dimension with the query; all others have no similarity. */
  override reachable({ indices }: SparseArrays): Iterable<PointId> {
    const found = new Set<PointId>()
    for (const dimension of indices) for (const id of this.holders.get(dimension) ?? []) found.add(id)
    return found
  }

  check(vector: Vector): void {
    if (!isSparse(vector)) throw wrongInput('a sparse vector is expected, not a dense one')
  }

  /** Multiplies each value by `ln((n − df + 0.5) / (df + 0.5) + 1)`. */
  prepare(query: SparseArrays): SparseArrays {
    if (!this.idf) return query
    const values = query.values.map((value, i) => {
      const frequency = this.frequency(query.indices[i] as number)
      return value * Math.log((this.vectors.size - frequency + 0.5) / (frequency + 0.5) + 1)
    })
    return { indices: query.indices, values }
  }

  similarity(query: SparseArrays, id: PointId): number | undefined {
    const vector = this.vectors.get(id)
    return vector === undefined ? undefined : sparseDot(query, vector)
  }

  private frequency(dimension: number): number {
    return this.holders.get(dimension)?.size ?? 0
  }
}

/** Dot product over shared dimensions, undefined when there is none. */
function sparseDot(left: SparseArrays, right: SparseArrays): number | undefined {
  let sum: number | undefined
  let i = 0
  let j = 0
  while (i < left.indices.length && j < right.indices.length) {
    const difference = (left.indices[i] as number) - (right.indices[j] as number)
    if (difference === 0) sum = (sum ?? 0) + (left.values[i++] as number) * (right.values[j++] as number)
    else if (difference < 0) i++
    else j++
  }
  return sum === undefined ? undefined : Math.fround(sum)
}
