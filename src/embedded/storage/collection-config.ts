import { formatError, refuseFields, unsupported, validationError } from '../errors.ts'
import { isRecord, type JsonRecord, readCount, readRecord } from '../wire/shape.ts'
import { DISTANCES, type Distance } from './dense-vectors.ts'

/** What `PUT /collections/{c}` fixed. `params` is echoed in the collection's info; the rest is what this engine acts on. */
export interface CollectionConfig {
  /** Dense vectors by name; the unnamed one is `''`. */
  dense: Map<string, { size: number; distance: Distance }>
  /** Sparse vectors by name. */
  sparse: Map<string, { idf: boolean }>
  /** The request body as given, for the info and for persistence. */
  body: JsonRecord
}

/** Dimensions of a dense vector. */
export const MAXIMUM_VECTOR_SIZE = 65_536

/** @throws EngineError 400/422 on a faulty schema, 501 on multivectors and on number types other than float32. */
export function readCollectionConfig(value: unknown): CollectionConfig {
  const body = readRecord(value, 'collection')
  const config: CollectionConfig = { dense: new Map(), sparse: new Map(), body }
  const vectors = body.vectors === undefined || body.vectors === null ? {} : readRecord(body.vectors, 'vectors')
  if ('size' in vectors && !isRecord(vectors.size)) config.dense.set('', readDense(vectors))
  else for (const [name, params] of Object.entries(vectors)) config.dense.set(name, readDense(params))
  for (const [name, params] of Object.entries(readOptionalRecord(body.sparse_vectors, 'sparse_vectors'))) {
    config.sparse.set(name, { idf: readOptionalRecord(params, name).modifier === 'idf' })
  }
  return config
}

function readDense(value: unknown): { size: number; distance: Distance } {
  const params = readRecord(value, 'vectors')
  if (params.size === undefined) throw formatError('missing field `size`')
  const size = readCount(params.size, 'vectors.size', 0)
  if (size < 1 || size > MAXIMUM_VECTOR_SIZE) {
    throw validationError(`vectors.size: value ${size} invalid, must be from 1 to ${MAXIMUM_VECTOR_SIZE}`)
  }
  const distance = DISTANCES.find(name => name === params.distance)
  if (distance === undefined) {
    const expected = DISTANCES.map(name => `\`${name}\``).join(', ')
    throw formatError(`unknown variant \`${String(params.distance)}\`, expected one of ${expected}`)
  }
  refuseFields(params, ['multivector_config'], 'vector parameter')
  if (params.datatype && params.datatype !== 'float32') throw unsupported(`datatype ${String(params.datatype)}`)
  return { size, distance }
}

function readOptionalRecord(value: unknown, field: string): JsonRecord {
  return value === undefined || value === null ? {} : readRecord(value, field)
}

/** The `config` part of a collection's info: what was given, and of the rest what typed clients require. */
export function printConfig({ body }: CollectionConfig): JsonRecord {
  return {
    params: { vectors: body.vectors ?? {}, sparse_vectors: body.sparse_vectors ?? undefined },
    hnsw_config: {
      m: 16,
      ef_construct: 100,
      full_scan_threshold: 10000,
      ...readOptionalRecord(body.hnsw_config, 'hnsw_config'),
    },
    optimizer_config: {
      deleted_threshold: 0.2,
      vacuum_min_vector_number: 1000,
      default_segment_number: 0,
      flush_interval_sec: 5,
      ...readOptionalRecord(body.optimizers_config, 'optimizers_config'),
    },
    metadata: body.metadata ?? undefined,
  }
}
