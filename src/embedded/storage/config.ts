import { unknownVector } from '../errors.ts'
import { asRecord, isRecord, type JsonRecord, readRecord } from '../wire/shape.ts'
import { checkParameters, checkVectorParameters, isUnnamedVector } from './parameters.ts'

/** Sections whose members are changed one by one. */
const MERGED = ['hnsw_config', 'optimizers_config', 'wal_config', 'metadata'] as const
/** Parameters that stand at the root of a creation and in `params` of a change. */
const ROOT_PARAMETERS = ['replication_factor', 'write_consistency_factor', 'read_fan_out_factor', 'on_disk_payload']
const MERGED_IN_VECTOR = ['hnsw_config', 'quantization_config', 'on_disk']

/**
 * Returns the configuration after `PATCH /collections/{collection}`. None of what can be changed changes an answer.
 * @throws EngineError 400/422 on faulty values and unknown vectors
 */
export function changedConfig(before: JsonRecord, patch: JsonRecord): JsonRecord {
  checkParameters(patch)
  const after: JsonRecord = { ...before }
  for (const section of MERGED) {
    if (isRecord(patch[section])) after[section] = { ...asRecord(before[section]), ...patch[section] }
  }
  if ((patch.quantization_config ?? null) !== null) after.quantization_config = quantization(patch.quantization_config)
  const params = asRecord(patch.params)
  for (const name of ROOT_PARAMETERS) if ((params[name] ?? null) !== null) after[name] = params[name]
  if (isRecord(patch.vectors)) after.vectors = changedVectors(asRecord(before.vectors), patch.vectors)
  if (isRecord(patch.sparse_vectors))
    after.sparse_vectors = changedSparse(asRecord(before.sparse_vectors), patch.sparse_vectors)
  return after
}

function changedVectors(before: JsonRecord, patch: JsonRecord): JsonRecord {
  const isUnnamed = isUnnamedVector(before)
  const after: JsonRecord = isUnnamed ? { '': before } : { ...before }
  for (const [name, change] of Object.entries(patch)) {
    const vector = after[name]
    if (!isRecord(vector)) throw unknownVector(name)
    const given = readRecord(change, `vectors.${name}`)
    checkVectorParameters(given, `vectors.${name}`)
    const merged: JsonRecord = { ...vector }
    for (const key of MERGED_IN_VECTOR.filter(key => (given[key] ?? null) !== null)) {
      if (key === 'hnsw_config') merged[key] = { ...asRecord(vector[key]), ...asRecord(given[key]) }
      else merged[key] = key === 'quantization_config' ? quantization(given[key]) : given[key]
    }
    after[name] = merged
  }
  return isUnnamed ? asRecord(after['']) : after
}

function changedSparse(before: JsonRecord, patch: JsonRecord): JsonRecord {
  const after: JsonRecord = { ...before }
  for (const [name, change] of Object.entries(patch)) {
    if (!Object.hasOwn(before, name)) throw unknownVector(name)
    const { index } = readRecord(change, `sparse_vectors.${name}`)
    if (isRecord(index)) after[name] = { ...asRecord(before[name]), index }
  }
  return after
}

const quantization = (value: unknown) => (value === 'Disabled' ? undefined : value)
