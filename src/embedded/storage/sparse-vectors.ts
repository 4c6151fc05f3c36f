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
  override *reachable({ indices }: SparseArrays): Generator<PointId> {
    const found = new Set<PointId>()
    for (const dimension of indices) {
      for (const id of this.holders.get(dimension) ?? []) {
        if (found.has(id)) continue
        found.add(id)
        yield id
      }
    }
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

/** Dot product over shared dimensions, undefined when there is none. Looks up the dimensions of the shorter one in the longer. */
function sparseDot(left: SparseArrays, right: SparseArrays): number | undefined {
  const [short, long] = left.indices.length <= right.indices.length ? [left, right] : [right, left]
  let sum: number | undefined
  let from = 0
  for (let i = 0; i < short.indices.length; i++) {
    const dimension = short.indices[i] as number
    from = firstFrom(long.indices, dimension, from)
    if (long.indices[from] !== dimension) continue
    sum = (sum ?? 0) + (short.values[i] as number) * (long.values[from] as number)
  }
  return sum === undefined ? undefined : Math.fround(sum)
}

/** The first place from `start` on whose value is not below `wanted`. Searches in growing steps, then by halves. */
function firstFrom(ascending: Uint32Array, wanted: number, start: number): number {
  let step = 1
  let low = start
  while (low + step < ascending.length && (ascending[low + step] as number) < wanted) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, ascending.length)
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
