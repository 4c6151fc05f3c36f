import { formatError, refuseFields, unsupported, validationError } from '../errors.ts'
import { type JsonRecord, readCount, readRecord } from '../wire/shape.ts'
import { DenseVectors, DISTANCES } from './dense-vectors.ts'
import { isUnnamedVector } from './parameters.ts'
import { SparseVectors } from './sparse-vectors.ts'
import type { VectorStore } from './vector-store.ts'

/** Dimensions of a dense vector. */
export const MAXIMUM_VECTOR_SIZE = 65_536

/**
 * Creates the vector stores that the body of `PUT /collections/{collection}` describes, by name; the unnamed one is `''`.
 * @throws EngineError 400/422 on a faulty schema, 501 on what this engine does not have
 */
export function createVectorStores(body: JsonRecord): Map<string, VectorStore> {
  const stores = new Map<string, VectorStore>()
  const vectors = readRecord(body.vectors ?? {}, 'vectors')
  for (const [name, params] of Object.entries(isUnnamedVector(vectors) ? { '': vectors } : vectors)) {
    stores.set(name, createDense(readRecord(params, 'vectors')))
  }
  for (const [name, params] of Object.entries(readRecord(body.sparse_vectors ?? {}, 'sparse_vectors'))) {
    stores.set(name, new SparseVectors(readRecord(params ?? {}, name).modifier === 'idf'))
  }
  return stores
}

function createDense(params: JsonRecord): DenseVectors {
  if (params.size === undefined) throw formatError('missing field `size`')
  const size = readCount(params.size, 'vectors.size', 0)
  if (size < 1 || size > MAXIMUM_VECTOR_SIZE)
    throw validationError(`vectors.size: value ${size} invalid, must be from 1 to ${MAXIMUM_VECTOR_SIZE}`)
  if (params.distance === 'Manhattan') throw unsupported('distance `Manhattan`')
  const distance = DISTANCES.find(name => name === params.distance)
  if (distance === undefined)
    throw formatError(`unknown distance \`${String(params.distance)}\`, expected one of ${DISTANCES.join(', ')}`)
  refuseFields(params, ['multivector_config'], 'vector parameter')
  if (params.datatype && params.datatype !== 'float32') throw unsupported(`datatype ${String(params.datatype)}`)
  return new DenseVectors(size, distance)
}
