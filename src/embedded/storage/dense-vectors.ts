export const DISTANCES = ['Cosine', 'Euclid', 'Dot', 'Manhattan'] as const
export type Distance = (typeof DISTANCES)[number]

/** Float32 rows of one width in one growing array; absent rows are marked, not moved. */
export class DenseVectors {
  readonly size: number
  readonly distance: Distance
  private data = new Float32Array(0)
  private present = new Uint8Array(0)

  constructor(size: number, distance: Distance) {
    this.size = size
    this.distance = distance
  }

  has(row: number): boolean {
    return this.present[row] === 1
  }

  /** A view, valid until the next write. */
  get(row: number): Float32Array | undefined {
    return this.has(row) ? this.data.subarray(row * this.size, (row + 1) * this.size) : undefined
  }

  set(row: number, vector: Float32Array): void {
    if (row >= this.present.length) this.grow(row + 1)
    this.present[row] = 1
    this.data.set(this.prepare(vector), row * this.size)
  }

  remove(row: number): void {
    if (this.has(row)) this.present[row] = 0
  }

  /** A query or a vector to be stored: unit length under `Cosine` (the zero vector stays), untouched otherwise. */
  prepare(vector: Float32Array): Float32Array {
    if (this.distance !== 'Cosine') return vector
    const squared = dot(vector, 0, vector, this.size)
    if (squared < 1.1920929e-7 || Math.abs(squared - 1) <= 1e-6) return vector
    const length = Math.sqrt(squared)
    return vector.map(value => value / length)
  }

  /** Similarity of a prepared query to a present row. */
  similarity(query: Float32Array, row: number): number {
    const start = row * this.size
    switch (this.distance) {
      case 'Euclid':
        return Math.fround(-squaredDistance(this.data, start, query, this.size))
      case 'Manhattan':
        return Math.fround(-absoluteDistance(this.data, start, query, this.size))
      default:
        return Math.fround(dot(this.data, start, query, this.size))
    }
  }

  each(query: Float32Array, visit: (row: number, similarity: number) => void): void {
    for (let row = 0; row < this.present.length; row++) {
      if (this.present[row] === 1) visit(row, this.similarity(query, row))
    }
  }

  private grow(rows: number): void {
    const capacity = Math.max(64, rows, Math.ceil(this.present.length * 1.5))
    const present = new Uint8Array(capacity)
    present.set(this.present)
    const data = new Float32Array(capacity * this.size)
    data.set(this.data)
    this.present = present
    this.data = data
  }
}

/** The score an answer carries for a similarity. */
export function toScore(distance: Distance, similarity: number): number {
  if (distance === 'Euclid') return Math.fround(Math.sqrt(-similarity))
  return distance === 'Manhattan' ? -similarity : similarity
}

function dot(data: Float32Array, start: number, query: Float32Array, size: number): number {
  // Four independent sums let the processor overlap the additions.
  let sum0 = 0
  let sum1 = 0
  let sum2 = 0
  let sum3 = 0
  let i = 0
  for (; i + 3 < size; i += 4) {
    const at = start + i
    sum0 += (data[at] as number) * (query[i] as number)
    sum1 += (data[at + 1] as number) * (query[i + 1] as number)
    sum2 += (data[at + 2] as number) * (query[i + 2] as number)
    sum3 += (data[at + 3] as number) * (query[i + 3] as number)
  }
  for (; i < size; i++) sum0 += (data[start + i] as number) * (query[i] as number)
  return sum0 + sum1 + sum2 + sum3
}

function squaredDistance(data: Float32Array, start: number, query: Float32Array, size: number): number {
  let sum = 0
  for (let i = 0; i < size; i++) sum += ((data[start + i] as number) - (query[i] as number)) ** 2
  return sum
}

function absoluteDistance(data: Float32Array, start: number, query: Float32Array, size: number): number {
  let sum = 0
  for (let i = 0; i < size; i++) sum += Math.abs((data[start + i] as number) - (query[i] as number))
  return sum
}
