import type { PointId } from '../../core/types.ts'
import { wrongInput } from '../errors.ts'
import { isSparse, type Vector } from '../wire/vector.ts'
import { VectorStore } from './vector-store.ts'

export const DISTANCES = ['Cosine', 'Euclid', 'Dot'] as const
type Distance = (typeof DISTANCES)[number]

export class DenseVectors extends VectorStore<Float32Array> {
  override readonly ascending: boolean
  private readonly size: number
  private readonly distance: Distance

  constructor(size: number, distance: Distance) {
    super()
    this.size = size
    this.distance = distance
    this.ascending = distance === 'Euclid'
  }

  override set(id: PointId, vector: Float32Array): void {
    super.set(id, this.prepare(vector))
  }

  check(vector: Vector): void {
    if (isSparse(vector)) throw wrongInput('a dense vector is expected, not a sparse one')
    if (vector.length === this.size) return
    throw wrongInput(`Vector dimension error: expected dim: ${this.size}, got ${vector.length}`)
  }

  /** Unit length under `Cosine`; the zero vector stays as it is. */
  prepare(vector: Float32Array): Float32Array {
    if (this.distance !== 'Cosine') return vector
    const squared = dot(vector, vector)
    if (squared < 1.1920929e-7 || Math.abs(squared - 1) <= 1e-6) return vector
    const length = Math.sqrt(squared)
    return vector.map(value => value / length)
  }

  similarity(query: Float32Array, id: PointId): number | undefined {
    const vector = this.vectors.get(id)
    if (vector === undefined) return undefined
    return Math.fround(this.distance === 'Euclid' ? -squaredDistance(query, vector) : dot(query, vector))
  }

  override score(similarity: number): number {
    return this.distance === 'Euclid' ? Math.fround(Math.sqrt(-similarity)) : similarity
  }
}

function dot(left: Float32Array, right: Float32Array): number {
  // Four independent sums let the processor overlap the additions.
  let sum0 = 0
  let sum1 = 0
  let sum2 = 0
  let sum3 = 0
  let i = 0
  for (; i + 3 < left.length; i += 4) {
    sum0 += (left[i] as number) * (right[i] as number)
    sum1 += (left[i + 1] as number) * (right[i + 1] as number)
    sum2 += (left[i + 2] as number) * (right[i + 2] as number)
    sum3 += (left[i + 3] as number) * (right[i + 3] as number)
  }
  for (; i < left.length; i++) sum0 += (left[i] as number) * (right[i] as number)
  return sum0 + sum1 + sum2 + sum3
}

function squaredDistance(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let i = 0; i < left.length; i++) sum += ((left[i] as number) - (right[i] as number)) ** 2
  return sum
}
