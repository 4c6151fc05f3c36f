/** One stored sparse vector: parallel arrays, indices ascending. */
export interface SparseRow {
  indices: Uint32Array
  values: Float32Array
}

/** Every dimension's postings, as parallel arrays of slots and values. */
interface Postings {
  slots: number[]
  values: number[]
  /** Postings of vectors still alive: the document frequency. */
  alive: number
}

const DEAD = -1

/**
 * Inverted index over sparse vectors. Each write takes a fresh slot, so replacing a vector costs its own length;
 * dead slots are swept out when they outnumber the living.
 */
export class SparseVectors {
  readonly idf: boolean
  private postings = new Map<number, Postings>()
  private rowOfSlot: number[] = []
  private readonly slotOfRow = new Map<number, number>()
  private readonly rows = new Map<number, SparseRow>()

  constructor(idf: boolean) {
    this.idf = idf
  }

  has(row: number): boolean {
    return this.rows.has(row)
  }

  get(row: number): SparseRow | undefined {
    return this.rows.get(row)
  }

  set(row: number, vector: SparseRow): void {
    this.remove(row)
    this.rows.set(row, vector)
    this.index(row, vector)
  }

  remove(row: number): void {
    const vector = this.rows.get(row)
    const slot = this.slotOfRow.get(row)
    if (vector === undefined || slot === undefined) return
    for (const dimension of vector.indices) {
      const list = this.postings.get(dimension)
      if (list !== undefined) list.alive--
    }
    this.rowOfSlot[slot] = DEAD
    this.slotOfRow.delete(row)
    this.rows.delete(row)
    if (this.rowOfSlot.length > 1024 && this.rowOfSlot.length > 2 * this.rows.size) this.sweep()
  }

  /** Weighs a query by inverse document frequency: `ln((n − df + .5)/(df + .5) + 1)`, counted over this index. */
  weighted(query: SparseRow): SparseRow {
    if (!this.idf) return query
    const values = query.values.map((value, i) => {
      const frequency = this.postings.get(query.indices[i] as number)?.alive ?? 0
      return value * Math.log((this.rows.size - frequency + 0.5) / (frequency + 0.5) + 1)
    })
    return { indices: query.indices, values }
  }

  /** Visits every row that shares a dimension with the query, with the dot product. */
  each(query: SparseRow, visit: (row: number, similarity: number) => void): void {
    const sums = new Float64Array(this.rowOfSlot.length)
    const touched: number[] = []
    const seen = new Uint8Array(this.rowOfSlot.length)
    for (let i = 0; i < query.indices.length; i++) {
      const list = this.postings.get(query.indices[i] as number)
      if (list === undefined) continue
      const weight = query.values[i] as number
      for (let k = 0; k < list.slots.length; k++) {
        const slot = list.slots[k] as number
        if (seen[slot] === 0) {
          seen[slot] = 1
          touched.push(slot)
        }
        sums[slot] = (sums[slot] as number) + weight * (list.values[k] as number)
      }
    }
    for (const slot of touched) {
      const row = this.rowOfSlot[slot] as number
      if (row !== DEAD) visit(row, Math.fround(sums[slot] as number))
    }
  }

  /** Dot product with one row; undefined where no dimension is shared. */
  similarity(query: SparseRow, row: number): number | undefined {
    const vector = this.rows.get(row)
    return vector === undefined ? undefined : sparseDot(query, vector)
  }

  private index(row: number, vector: SparseRow): void {
    const slot = this.rowOfSlot.push(row) - 1
    this.slotOfRow.set(row, slot)
    vector.indices.forEach((dimension, i) => {
      let list = this.postings.get(dimension)
      if (list === undefined) {
        list = { slots: [], values: [], alive: 0 }
        this.postings.set(dimension, list)
      }
      list.slots.push(slot)
      list.values.push(vector.values[i] as number)
      list.alive++
    })
  }

  private sweep(): void {
    this.postings = new Map()
    this.rowOfSlot = []
    for (const [row, vector] of this.rows) this.index(row, vector)
  }
}

/** Dot product over shared dimensions, undefined when there is none. Both sides sorted by index. */
function sparseDot(left: SparseRow, right: SparseRow): number | undefined {
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
