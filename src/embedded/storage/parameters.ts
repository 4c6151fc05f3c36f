import { formatError, refuseFields, validationError, wrongInput } from '../errors.ts'
import { asRecord, isRecord, type JsonRecord, readCount, readNumber, readRecord } from '../wire/shape.ts'

/** The smallest values that Qdrant takes. The settings themselves change nothing here but what the info shows. */
const LEAST: { readonly [section: string]: { readonly [name: string]: number } } = {
  hnsw_config: { m: 0, ef_construct: 4, full_scan_threshold: 10, max_indexing_threads: 0, payload_m: 0 },
  optimizers_config: {
    vacuum_min_vector_number: 100,
    default_segment_number: 0,
    max_segment_size: 0,
    memmap_threshold: 0,
    indexing_threshold: 0,
    flush_interval_sec: 0,
  },
  wal_config: { wal_capacity_mb: 1, wal_segments_ahead: 0 },
  params: { replication_factor: 1, write_consistency_factor: 1, read_fan_out_factor: 0 },
}
const SECTIONS = [...Object.keys(LEAST), 'quantization_config', 'metadata']

/**
 * Checks what `PUT /collections/{collection}` asks for beside the vectors that can be made. The log is read without this
 * check, so that a collection of an earlier version stays one.
 * @throws EngineError 400/422 on faulty values, 501 on parameters that would change answers
 */
export function checkCreation(value: unknown): void {
  const body = readRecord(value, 'collection')
  checkParameters(body)
  const vectors = asRecord(body.vectors)
  const isUnnamed = isUnnamedVector(vectors)
  if (isUnnamed) checkVectorParameters(vectors, 'vectors')
  for (const [name, params] of isUnnamed ? [] : Object.entries(vectors)) {
    if (isRecord(params)) checkVectorParameters(params, `vectors.${name}`)
  }
  for (const [name, params] of Object.entries(asRecord(body.sparse_vectors))) {
    if (Object.hasOwn(vectors, name))
      throw wrongInput(`Vector name \`${name}\` is used for a dense and a sparse vector`)
    const modifier = asRecord(params).modifier ?? 'none'
    if (modifier !== 'none' && modifier !== 'idf')
      throw formatError(`unknown variant \`${String(modifier)}\`, expected \`none\` or \`idf\``)
  }
}

/**
 * Checks the parameters of `PUT` and `PATCH /collections/{collection}` that do not describe vectors.
 * @throws EngineError 400/422 on faulty values, 501 on parameters that would change answers
 */
export function checkParameters(body: JsonRecord): void {
  refuseFields(body, ['init_from'], 'collection parameter')
  if (body.sharding_method === 'custom') refuseFields(body, ['sharding_method'], 'collection parameter')
  if (isRecord(body.strict_mode_config) && body.strict_mode_config.enabled === true)
    refuseFields(body, ['strict_mode_config'], 'collection parameter')
  for (const name of ['shard_number', 'replication_factor', 'write_consistency_factor']) {
    readCount(body[name], name, 1, 1)
  }
  for (const section of SECTIONS) {
    if ((body[section] ?? null) !== null && body[section] !== 'Disabled') checkSection(body[section], section)
  }
}

/** Whether `vectors` of a collection are the parameters of one vector without a name, and not parameters by name. */
export function isUnnamedVector(vectors: JsonRecord): boolean {
  return 'size' in vectors && !isRecord(vectors.size)
}

/** @param path of the section in the body, for the error text */
function checkSection(value: unknown, path: string): void {
  const section = readRecord(value, path)
  const least = LEAST[path.split('.').at(-1) ?? ''] ?? {}
  for (const [name, minimum] of Object.entries(least)) readCount(section[name], `${path}.${name}`, minimum, minimum)
  const deleted = readNumber(section.deleted_threshold, `${path}.deleted_threshold`)
  if (deleted !== undefined && (deleted < 0 || deleted > 1))
    throw validationError(`${path}.deleted_threshold: value ${deleted} invalid, must be from 0 to 1`)
}

/** Checks the parameters of one vector that change no answer. @throws EngineError 400/422 */
export function checkVectorParameters(params: JsonRecord, path: string): void {
  if ((params.hnsw_config ?? null) !== null) checkSection(params.hnsw_config, `${path}.hnsw_config`)
  if ((params.on_disk ?? null) !== null && typeof params.on_disk !== 'boolean')
    throw formatError(`${path}.on_disk must be a boolean`)
}
