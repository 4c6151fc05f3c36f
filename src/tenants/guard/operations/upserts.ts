import { inOneStep, type Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import {
  type Fields,
  keep,
  longListOf,
  type Members,
  printMembers,
  type ReadInSteps,
  type ReadValue,
  readLongMembers,
  readMembers,
} from '../body/fields.ts'
import { addFilter, filter } from '../body/filter.ts'
import { type PointIdText, readPointId, readPointIds } from '../body/point-id.ts'
import { badRequest } from '../body/refusals.ts'
import type { Scope } from '../body/scope.ts'
import { shardKey } from '../body/search-fields.ts'
import { stampAlone, stampOf, stampPayload } from '../body/stamp.ts'

const VECTOR_FIELDS: Fields = { vector: keep, vectors: keep }
const WRITE_FIELDS: Fields = { shard_key: shardKey, update_filter: filter }
const UPSERT_FIELDS: Fields = { ...WRITE_FIELDS, update_mode: keep }

/** Inserts points with the tenant field, or replaces those of the tenant. Points of others are left as they are. */
export const upsert: ReadInSteps = function* read(reader, scope) {
  const long = { points: longListOf(readPoint, 'points'), batch: readColumns }
  const members = yield* readLongMembers(reader, scope, UPSERT_FIELDS, long, 'the upsert')
  if (members.has('points') === members.has('batch')) throw badRequest('An upsert has either points or a batch.')
  addFilter(members, scope, 'update_filter')
  return printMembers(members)
}

/** Replaces vectors of points, all of which must be the tenant's. */
export const updateVectors: ReadInSteps = function* read(reader, scope) {
  const long = { points: longListOf(readVectorsOfPoint, 'points') }
  const members = yield* readLongMembers(reader, scope, WRITE_FIELDS, long, 'the update of vectors')
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

function readPoint(reader: JsonReader, scope: Scope, index: number): Steps<string> {
  const where = `points[${index}]`
  return inOneStep(() => {
    const payload = (own: JsonReader) => readPayload(own, scope, `${where}.payload`)
    const members = readMembers(reader, scope, { ...VECTOR_FIELDS, id: upsertedId, payload }, where)
    if (!members.has('id')) throw badRequest(`${where} has no id.`)
    if (!members.has('payload')) members.set('payload', stampAlone(stampOf(scope.tenant)))
    return printMembers(members)
  })
}

function readVectorsOfPoint(reader: JsonReader, scope: Scope, index: number): Steps<string> {
  const where = `points[${index}]`
  return inOneStep(() => {
    const members = readMembers(reader, scope, { ...VECTOR_FIELDS, id: changedId }, where)
    if (!members.has('id')) throw badRequest(`${where} has no id.`)
    return printMembers(members)
  })
}

/** The points as columns: ids, vectors and payloads. */
function* readColumns(reader: JsonReader, scope: Scope): Steps<string> {
  let ids: PointIdText[] = []
  let payloadCount: number | null = null
  const readIds: ReadValue = own => {
    ids = readPointIds(own)
    scope.upsert(ids)
    return `[${ids.join(',')}]`
  }
  const readPayloads = longListOf((own, _scope, index) => {
    payloadCount = index + 1
    return inOneStep(() => readPayload(own, scope, `batch.payloads[${index}]`))
  }, 'batch.payloads')
  const payloads: ReadInSteps = (own, same) =>
    own.kind === 'null' ? inOneStep(() => own.take()) : readPayloads(own, same)
  const members = yield* readLongMembers(reader, scope, { ids: readIds, vectors: keep }, { payloads }, 'batch')
  if ((members.get('payloads') ?? 'null') === 'null') addPayloads(members, scope, ids.length)
  else if ((payloadCount ?? 0) !== ids.length) throw badRequest('A batch needs as many payloads as ids.')
  return printMembers(members)
}

function addPayloads(members: Members, scope: Scope, count: number): void {
  const payload = stampAlone(stampOf(scope.tenant))
  members.set('payloads', `[${Array.from({ length: count }, () => payload).join(',')}]`)
}

/** A payload with the tenant field; null and none are empty payloads. */
function readPayload(reader: JsonReader, scope: Scope, where: string): string {
  const stamp = stampOf(scope.tenant)
  if (reader.kind !== 'null') return stampPayload(reader, stamp, 'write', where)
  reader.take()
  return stampAlone(stamp)
}
