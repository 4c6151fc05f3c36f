import type { SparseVector } from '../../core/types.ts'
import { type Bm25Options, encodeBm25Document, encodeBm25Query } from '../../text/qdrant-bm25.ts'
import { EngineError, formatError, unsupported, validationError } from '../errors.ts'
import {
  isRecord,
  type JsonRecord,
  readList,
  readNumber,
  readRecord,
  readString,
  refuseAbove,
  toNumber,
} from './shape.ts'

/** Parallel arrays with ascending, distinct indices. */
export interface SparseArrays {
  indices: Uint32Array
  values: Float32Array
}

export type Vector = Float32Array | SparseArrays

export function isSparse(vector: Vector): vector is SparseArrays {
  return !(vector instanceof Float32Array)
}

/** Reads a dense array, `{indices, values}`, or `{text, model}`, which is encoded as a document or as a query. */
export function readVector(value: unknown, use: 'document' | 'query'): Vector {
  if (Array.isArray(value)) return readDense(value)
  if (isRecord(value) && 'indices' in value && 'values' in value) return readSparse(value)
  if (isRecord(value) && 'model' in value) return sortSparse(inferSparse(value, use))
  throw formatError('a vector must be a list of numbers, {indices, values} or {text, model}')
}

function readDense(items: unknown[]): Float32Array {
  if (items.length === 0) throw validationError('vector: value [] invalid, must not be empty')
  const vector = new Float32Array(items.length)
  items.forEach((item, i) => {
    const value = toNumber(item)
    if (value === undefined) throw formatError('a vector must hold only numbers')
    vector[i] = value
    if (!Number.isFinite(vector[i])) throw formatError(`number out of range for f32: ${value}`)
  })
  return vector
}

function readSparse(value: JsonRecord): SparseArrays {
  const indices = readList(value.indices, 'indices').map(index => {
    if (typeof index === 'number' && index >>> 0 === index) return index
    throw formatError('indices must be unsigned 32-bit integers')
  })
  const values = readList(value.values, 'values')
  if (indices.length !== values.length) throw validationError('values: must be the same length as indices')
  if (new Set(indices).size !== indices.length) throw validationError('indices: must be unique')
  return sortSparse({ indices, values: values.length === 0 ? [] : Array.from(readDense(values)) })
}

function sortSparse({ indices, values }: { indices: number[]; values: number[] }): SparseArrays {
  const pairs = indices.map((index, place) => [index, values[place] ?? 0] as const).sort(([a], [b]) => a - b)
  return {
    indices: Uint32Array.from(pairs, ([index]) => index),
    values: Float32Array.from(pairs, ([, value]) => value),
  }
}

/** UTF-16 units of one text that is encoded. */
export const MAXIMUM_TEXT_LENGTH = 8 * 2 ** 20

/**
 * Encodes `{text, model: "qdrant/bm25", options}`. Qdrant runs this model itself; other models need an inference service.
 * @throws EngineError 500 for other models, 400 for a text that is too long, 501 for options other than k, b, avg_len and language (english, none)
 */
function inferSparse(document: JsonRecord, use: 'document' | 'query'): SparseVector {
  const model = readString(document.model, 'model')
  if (!['qdrant/bm25', 'bm25'].includes(model.toLowerCase())) {
    throw new EngineError(
      500,
      `Service internal error: no inference service for ${model}, only qdrant/bm25 is built in`,
    )
  }
  const text = readString(document.text, 'text')
  refuseAbove(text.length, MAXIMUM_TEXT_LENGTH, 'text')
  const options = readOptions(readRecord(document.options ?? {}, 'options'))
  return use === 'document' ? encodeBm25Document(text, options) : encodeBm25Query(text, options)
}

function readOptions(given: JsonRecord): Bm25Options {
  const options: Bm25Options = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    if (name === 'k' || name === 'b' || name === 'avg_len') options[name] = readNumber(value, name) ?? 0
    else if (name === 'language' && (value === 'english' || value === 'none')) options.language = value
    else throw unsupported(`bm25 option \`${name}\` = ${JSON.stringify(value)}`)
  }
  return options
}
