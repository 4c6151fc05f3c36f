import { parsePath, valuesAt } from '../filter/payload-path.ts'
import { Pace } from '../pace.ts'
import type { Collection } from '../storage/collection.ts'
import { asList, isRecord, type JsonRecord } from '../wire/shape.ts'
import type { Read } from './points.ts'

/** The info of a collection. What it says of segments and optimizers is constant. */
export const collectionInfo: Read = async (collection, _body, pace = new Pace()) => {
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
    config: printConfig(collection.config),
    payload_schema,
  }
}

/** The configuration as it was given, over Qdrant's defaults. */
function printConfig(config: JsonRecord): JsonRecord {
  const { vectors, sparse_vectors, shard_number, replication_factor, write_consistency_factor, on_disk_payload } =
    config
  return {
    params: {
      vectors: vectors ?? {},
      shard_number: shard_number ?? 1,
      replication_factor: replication_factor ?? 1,
      write_consistency_factor: write_consistency_factor ?? 1,
      on_disk_payload: on_disk_payload ?? true,
      sparse_vectors: sparse_vectors ?? undefined,
    },
    hnsw_config: {
      m: 16,
      ef_construct: 100,
      full_scan_threshold: 10_000,
      max_indexing_threads: 0,
      on_disk: false,
      ...(config.hnsw_config as JsonRecord | undefined),
    },
    optimizer_config: {
      deleted_threshold: 0.2,
      vacuum_min_vector_number: 1000,
      default_segment_number: 0,
      max_segment_size: null,
      memmap_threshold: null,
      indexing_threshold: 10_000,
      flush_interval_sec: 5,
      max_optimization_threads: null,
      ...(config.optimizers_config as JsonRecord | undefined),
    },
    wal_config: {
      wal_capacity_mb: 32,
      wal_segments_ahead: 0,
      wal_retain_closed: 1,
      ...(config.wal_config as JsonRecord | undefined),
    },
    quantization_config: config.quantization_config ?? null,
    metadata: config.metadata ?? undefined,
  }
}

/** The number of points that have a value other than null in a field. */
async function pointsWith(collection: Collection, field: string, pace: Pace): Promise<number> {
  const path = parsePath(field)
  let count = 0
  for (const { payload } of collection.inOrder()) {
    if (pace.isDue()) await pace.rest()
    const values = valuesAt(payload, path).flatMap(asList)
    if (values.some(value => value !== null)) count++
  }
  return count
}
