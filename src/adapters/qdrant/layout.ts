import type { CollectionLayout, DenseField } from '../../ingest/target.ts'
import { notUnderstood } from '../../qdrant/errors.ts'
import { isObject } from '../../qdrant/json.ts'

/**
 * Reads the `result` of Qdrant's GET /collections/{name}. Multivectors are left out, because they are not single vectors.
 * @throws StowageError `upstream_error` when the result has no parameters of a collection
 */
export function readLayout(result: unknown): CollectionLayout {
  const parameters = record(record(record(result).config).params)
  if (Object.keys(parameters).length === 0) throw notUnderstood('a collection without parameters')
  const { points_count: points, payload_schema: schema } = record(result)
  const indexes = Object.entries(record(schema))
  return {
    points: typeof points === 'number' ? points : 0,
    dense: readDense(parameters.vectors),
    sparse: Object.entries(record(parameters.sparse_vectors)).map(([name, field]) => ({
      name,
      idf: record(field).modifier === 'idf',
    })),
    indexes: Object.fromEntries(indexes.map(([field, index]) => [field, String(record(index).data_type)])),
  }
}

/** The payload index on a field, from the `result` of GET /collections/{name}; null when there is none. */
export function readPayloadIndex(result: unknown, field: string): { type: string; isTenant: boolean } | null {
  const schema = record(record(result).payload_schema)
  if (!Object.hasOwn(schema, field)) return null
  const { data_type: type, params } = record(schema[field])
  return { type: String(type), isTenant: record(params).is_tenant === true }
}

function readDense(vectors: unknown): DenseField[] {
  const fields = typeof record(vectors).size === 'number' ? { '': vectors } : record(vectors)
  return Object.entries(fields).flatMap(([name, field]) => {
    const { size, distance, multivector_config: multivector } = record(field)
    return typeof size === 'number' && (multivector ?? null) === null
      ? [{ name, size, distance: String(distance) }]
      : []
  })
}

/** The dense vector for queries of this dimension: `dense`, which ingest creates, else the first of that size. */
export function chooseDense(layout: CollectionLayout, dimensions: number): DenseField | null {
  const fitting = layout.dense.filter(field => field.size === dimensions)
  return fitting.find(field => field.name === 'dense') ?? fitting[0] ?? null
}

/** The sparse vector for BM25 terms: `sparse`, which ingest creates, else the first with modifier idf. Others hold terms of other models. */
export function chooseSparse(layout: CollectionLayout): string | null {
  const fitting = layout.sparse.filter(field => field.idf)
  return (fitting.find(field => field.name === 'sparse') ?? fitting[0])?.name ?? null
}

/**
 * Metadata of a collection that `stowage ingest` makes. Qdrant keeps it from 1.16 on, and drops it before. With `managed: false` a
 * collection is released from the ingestion guard.
 */
export const MANAGED_METADATA = { stowage: { managed: true } } as const

/**
 * Whether `stowage ingest` made a collection, from the `result` of GET /collections/{name}. Without metadata it is known by what ingest
 * alone makes together: its two vectors, and an index on the version of the embedder.
 */
export function isMadeByIngest(result: unknown): boolean {
  const { managed } = record(record(record(record(result).config).metadata).stowage)
  if (typeof managed === 'boolean') return managed
  const { dense, sparse, indexes } = readLayout(result)
  const [keywords, ...others] = sparse
  return (
    keywords?.name === 'sparse' &&
    keywords.idf &&
    others.length === 0 &&
    dense.every(({ name, distance }) => name === 'dense' && distance === 'Cosine') &&
    indexes.embedder_version === 'keyword'
  )
}

/** The value if it is an object, else an empty object. */
export function record(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}
