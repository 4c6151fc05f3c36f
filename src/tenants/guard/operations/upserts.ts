import { badRequest } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import { present } from '../../../qdrant/raw-json.ts'
import { type Fields, keep, listOf, printMembers, type ReadValue, readMembers } from '../body/fields.ts'
import { addFilter, filter } from '../body/filter.ts'
import { type PointIdText, readPointId, readPointIds } from '../body/point-id.ts'
import type { Scope } from '../body/scope.ts'
import { shardKey } from '../body/search-fields.ts'
import { stampAlone, stampPayload } from '../body/stamp.ts'

const VECTOR_FIELDS: Fields = { vector: keep, vectors: keep }
const WRITE_FIELDS: Fields = { shard_key: shardKey, update_filter: filter }
const UPSERT_FIELDS: Fields = {
  ...WRITE_FIELDS,
  update_mode: keep,
  points: listOf(readPoint, 'points'),
  batch: readColumns,
}
const UPDATE_FIELDS: Fields = { ...WRITE_FIELDS, points: listOf(readVectorsOfPoint, 'points') }

/** Inserts points with the tenant field, or replaces those of the tenant. Points of others are left as they are. */
export const upsert: ReadValue = function* read(reader, scope) {
  const members = yield* readMembers(reader, scope, UPSERT_FIELDS, 'the upsert')
  if ((present(members, 'points') === null) === (present(members, 'batch') === null))
    throw badRequest('An upsert has either points or a batch.')
  addFilter(members, scope, 'update_filter')
  return printMembers(members)
}

/** Replaces vectors of points, all of which must be the tenant's. */
export const updateVectors: ReadValue = function* read(reader, scope) {
  const members = yield* readMembers(reader, scope, UPDATE_FIELDS, 'the update of vectors')
  addFilter(members, scope, 'update_filter')
  return printMembers(members)
}

const upsertedId: ReadValue = (reader, scope) => {
  const id = readPointId(reader.take())
  scope.upsert([id])
  return id
}

const changedId: ReadValue = (reader, scope) => {
  const id = readPointId(reader.take())
  if (!scope.hasUpserted(id)) scope.use(scope.collection, [id])
  return id
}

const POINT_FIELDS: Fields = { ...VECTOR_FIELDS, id: upsertedId }
const CHANGED_FIELDS: Fields = { ...VECTOR_FIELDS, id: changedId }

function* readPoint(reader: JsonReader, scope: Scope, index: number): Steps<string> {
  const where = `points[${index}]`
  const payload: ReadValue = (own, same) => readPayload(own, same, `${where}.payload`)
  const members = yield* readMembers(reader, scope, { ...POINT_FIELDS, payload }, where)
  if (!members.has('id')) throw badRequest(`${where} has no id.`)
  if (!members.has('payload')) members.set('payload', stampAlone(scope.stamp))
  return printMembers(members)
}

function* readVectorsOfPoint(reader: JsonReader, scope: Scope, index: number): Steps<string> {
  const where = `points[${index}]`
  const members = yield* readMembers(reader, scope, CHANGED_FIELDS, where)
  if (!members.has('id')) throw badRequest(`${where} has no id.`)
  return printMembers(members)
}

/** The points as columns: ids, vectors and payloads. */
function* readColumns(reader: JsonReader, scope: Scope): Steps<string> {
  let ids: PointIdText[] = []
  let payloadCount = 0
  const fields: Fields = {
    vectors: keep,
    *ids(own) {
      ids = yield* readPointIds(own)
      return `[${ids.join(',')}]`
    },
    payloads: listOf((own, same, index) => {
      payloadCount = index + 1
      return readPayload(own, same, `batch.payloads[${index}]`)
    }, 'batch.payloads'),
  }
  const members = yield* readMembers(reader, scope, fields, 'batch')
  scope.upsert(ids)
  if (present(members, 'payloads') === null) members.set('payloads', payloadsAlone(ids.length, scope))
  else if (payloadCount !== ids.length) throw badRequest('A batch needs as many payloads as ids.')
  return printMembers(members)
}

function payloadsAlone(count: number, scope: Scope): string {
  return `[${Array<string>(count).fill(stampAlone(scope.stamp)).join(',')}]`
}

/** A payload with the tenant field; null is an empty payload. */
function* readPayload(reader: JsonReader, scope: Scope, where: string): Steps<string> {
  if (reader.kind !== 'null') return yield* stampPayload(reader, scope.stamp, 'write', where)
  reader.take()
  return stampAlone(scope.stamp)
}
