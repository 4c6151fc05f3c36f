import type { CollectionLayout, DenseField } from '../../ingest/target.ts'
import { notUnderstood } from '../../qdrant/errors.ts'

/**
 * Reads the `result` of Qdrant's GET /collections/{name}. Multivectors are left out: they are no single dense vector.
 * What it does not say is absent. @throws StowageError `upstream_error` when it describes no collection
 */
export function readLayout(result: unknown): CollectionLayout {
  const parameters = record(record(record(result).config).params)
  if (Object.keys(parameters).length === 0) throw notUnderstood('a collection without parameters')
  const indexes = Object.entries(record(record(result).payload_schema))
  return {
    points: numberOr(record(result).points_count, 0),
    dense: readDense(parameters.vectors),
    sparse: Object.entries(record(parameters.sparse_vectors)).map(([name, field]) => ({
      name,
      idf: record(field).modifier === 'idf',
    })),
    indexes: Object.fromEntries(indexes.map(([field, index]) => [field, String(record(index).data_type)])),
  }
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

/** The dense vector that a query of this dimension searches: ours by name, else the first of that size. */
export function chooseDense(layout: CollectionLayout, dimensions: number): DenseField | null {
  const fitting = layout.dense.filter(field => field.size === dimensions)
  return fitting.find(field => field.name === 'dense') ?? fitting[0] ?? null
}

/** The sparse vector that BM25 terms search: one that weighs by idf, ours by name first. Others hold another model's terms. */
export function chooseSparse(layout: CollectionLayout): string | null {
  const fitting = layout.sparse.filter(field => field.idf)
  return (fitting.find(field => field.name === 'sparse') ?? fitting[0])?.name ?? null
}

/** What should be an object; one without members if it is not. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
