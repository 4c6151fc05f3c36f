import { parsePath, valuesAt } from '../filter/payload-path.ts'
import type { Pace } from '../pace.ts'
import type { Collection } from '../storage/collection.ts'
import { asList, isRecord, type JsonRecord } from '../wire/shape.ts'

/** What Qdrant's own clients and this project read. The Python client requires the last two members of `config`. */
export async function collectionInfo(collection: Collection, _body: unknown, pace: Pace): Promise<JsonRecord> {
  const { vectors, sparse_vectors } = collection.config
  const payload_schema: JsonRecord = {}
  for (const [field, { schema }] of collection.indexes) {
    const [data_type, params] = isRecord(schema) ? [schema.type, schema] : [schema]
    payload_schema[field] = { data_type, params, points: await pointsWith(collection, field, pace) }
  }
  return {
    status: 'green',
    optimizer_status: 'ok',
    points_count: collection.size,
    segments_count: 1,
    config: {
      params: { vectors: vectors ?? {}, sparse_vectors: sparse_vectors ?? undefined },
      hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
      optimizer_config: {
        deleted_threshold: 0.2,
        vacuum_min_vector_number: 1000,
        default_segment_number: 0,
        flush_interval_sec: 5,
      },
    },
    payload_schema,
  }
}

/** The number of points that have a value other than null in a field. */
async function pointsWith(collection: Collection, field: string, pace: Pace): Promise<number> {
  const path = parsePath(field)
  let count = 0
  for (const { payload } of collection.inOrder()) {
    if (pace.isDue()) await pace.rest()
    if (
      valuesAt(payload, path)
        .flatMap(asList)
        .some(value => value !== null)
    )
      count++
  }
  return count
}
