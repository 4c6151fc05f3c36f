import { formatError, validationError } from '../errors.ts'
import type { SparseRow } from '../storage/sparse-vectors.ts'
import { inferSparse } from './inference.ts'
import { isRecord, type JsonRecord, readList, toNumber } from './shape.ts'

/** A vector as a client gives it. */
export type VectorInput = Float32Array | SparseRow

export function isSparse(vector: VectorInput): vector is SparseRow {
  return !(vector instanceof Float32Array)
}

/** Reads a dense array, `{indices, values}`, or a document `{text, model}` to be encoded as one. */
export function readVectorInput(value: unknown, use: 'document' | 'query'): VectorInput {
  if (Array.isArray(value)) return readDense(value)
  if (isRecord(value) && 'indices' in value && 'values' in value) return readSparse(value)
  if (isRecord(value) && 'model' in value) return sortSparse(inferSparse(value, use))
  throw formatError('data did not match any variant of untagged enum VectorInput')
}

function readDense(items: unknown[]): Float32Array {
  const vector = new Float32Array(items.length)
  for (let i = 0; i < items.length; i++) {
    const value = toNumber(items[i])
    if (value === undefined) throw formatError('data did not match any variant of untagged enum VectorInput')
    vector[i] = value
    if (!Number.isFinite(vector[i])) throw formatError(`number out of range for f32: ${value}`)
  }
  if (vector.length === 0) throw validationError('vector: value [] invalid, must not be empty')
  return vector
}

function readSparse(value: JsonRecord): SparseRow {
  const indices = readList(value.indices, 'indices')
  const values = readList(value.values, 'values')
  if (indices.length !== values.length) throw validationError('values: must be the same length as indices')
  for (const index of indices) {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > 0xffffffff) {
      throw formatError(`invalid value: ${String(index)}, expected u32`)
    }
  }
  if (new Set(indices).size !== indices.length) throw validationError('indices: must be unique')
  const numbers = values.length === 0 ? new Float32Array(0) : readDense(values)
  return sortSparse({ indices: indices as number[], values: Array.from(numbers) })
}

function sortSparse(vector: { indices: number[]; values: number[] }): SparseRow {
  const order = vector.indices.map((_, position) => position)
  order.sort((a, b) => (vector.indices[a] as number) - (vector.indices[b] as number))
  return {
    indices: Uint32Array.from(order, position => vector.indices[position] as number),
    values: Float32Array.from(order, position => vector.values[position] as number),
  }
}
