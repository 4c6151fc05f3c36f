import type { PointId } from '../core/types.ts'
import { badRequest, formatError, refuseFields, unknownPoint } from './errors.ts'
import { mergedAt, parsePath, without } from './filter/payload-path.ts'
import type { Collection, StoredPoint } from './storage/collection.ts'
import { readPointId } from './wire/point-id.ts'
import { isRecord, type JsonRecord, readList, readRecord, readString } from './wire/shape.ts'
import { readVectorInput, type VectorInput } from './wire/vector-input.ts'

type Update = (collection: Collection, body: JsonRecord, version: number) => void

/** The writes on points, by the names that `points/batch` gives them. Each reads and checks its whole body before it changes anything. */
const UPDATES: { [kind: string]: Update } = {
  upsert,
  delete: deletePoints,
  set_payload: (collection, body, version) => {
    const patch = readRecord(body.payload, 'payload')
    const path = body.key === undefined || body.key === null ? [] : parsePath(readString(body.key, 'key'))
    changePayload(collection, body, version, payload => mergedAt(payload, path, patch))
  },
  overwrite_payload: (collection, body, version) => {
    const payload = readRecord(body.payload, 'payload')
    changePayload(collection, body, version, () => payload)
  },
  delete_payload: (collection, body, version) => {
    const paths = readList(body.keys, 'keys').map(key => parsePath(readString(key, 'keys')))
    changePayload(collection, body, version, payload => without(payload, paths))
  },
  clear_payload: (collection, body, version) => changePayload(collection, body, version, () => ({})),
  update_vectors: updateVectors,
  delete_vectors: deleteVectors,
  create_index: (collection, body) => {
    const field = readString(body.field_name, 'field_name')
    parsePath(field)
    if (body.field_schema === undefined || body.field_schema === null) {
      throw badRequest('Field schema is required for the embedded engine')
    }
    collection.setIndex(field, body.field_schema)
  },
  delete_index: (collection, body) => {
    collection.dropIndex(readString(body.field_name, 'field_name'))
  },
}

/** Applies one write and gives its operation number. @throws EngineError, and then nothing is changed. */
export function applyUpdate(collection: Collection, kind: string, body: unknown): number {
  const update = Object.hasOwn(UPDATES, kind) ? UPDATES[kind] : undefined
  if (update === undefined) throw formatError(`unknown variant \`${kind}\``)
  update(collection, readRecord(body, kind), collection.nextOperation)
  return collection.nextOperation++
}

function upsert(collection: Collection, body: JsonRecord, version: number): void {
  const points = readPoints(body).map(point => readPoint(collection, point))
  refuseFields(body, ['update_mode'], 'upsert')
  const mayUpdate = body.update_filter ? collection.filter(body.update_filter) : () => true
  for (const point of points) {
    const row = collection.rowOf(point.id)
    if (row === undefined || mayUpdate(row)) collection.put(point, version)
  }
}

/** Points as a list, or as columns (`batch`). */
function readPoints(body: JsonRecord): JsonRecord[] {
  if (body.points !== undefined) return readList(body.points, 'points').map(point => readRecord(point, 'point'))
  if (!isRecord(body.batch)) throw formatError('data did not match any variant of untagged enum PointInsertOperations')
  const { ids, vectors, payloads } = body.batch
  const column = (values: unknown, field: string) => {
    const list = readList(values, field)
    if (list.length !== idList.length) {
      throw badRequest(`number of ids and ${field} must be equal (${idList.length} != ${list.length})`)
    }
    return list
  }
  const idList = readList(ids, 'ids')
  const payloadList = payloads === undefined || payloads === null ? undefined : column(payloads, 'payloads')
  const named = isRecord(vectors)
    ? Object.entries(vectors).map(([name, values]) => [name, column(values, `vectors.${name}`)] as const)
    : undefined
  const bare = named === undefined ? column(vectors, 'vectors') : []
  return idList.map((id, i) => ({
    id,
    vector: named === undefined ? bare[i] : Object.fromEntries(named.map(([name, values]) => [name, values[i]])),
    payload: payloadList?.[i],
  }))
}

/** The ids that an upsert's body names. */
export function upsertedIds(body: unknown): PointId[] {
  return readPoints(readRecord(body, 'upsert')).map(point => readPointId(point.id))
}

function readPoint(collection: Collection, point: JsonRecord): StoredPoint {
  if (point.id === undefined) throw formatError('missing field `id`')
  const payload = point.payload === undefined || point.payload === null ? {} : readRecord(point.payload, 'payload')
  return { id: readPointId(point.id), vectors: readVectors(collection, point.vector), payload }
}

function readVectors(collection: Collection, value: unknown): Map<string, VectorInput> {
  if (value === undefined || value === null) throw formatError('missing field `vector`')
  const named: [string, unknown][] =
    isRecord(value) && !('model' in value && 'text' in value) ? Object.entries(value) : [['', value]]
  return new Map(
    named.map(([name, item]) => {
      const vector = readVectorInput(item, 'document')
      collection.checkVector(name, vector)
      return [name, vector]
    }),
  )
}

function deletePoints(collection: Collection, body: JsonRecord): void {
  for (const row of selectRows(collection, body, 'present')) collection.remove(row)
}

function changePayload(
  collection: Collection,
  body: JsonRecord,
  version: number,
  change: (payload: JsonRecord) => JsonRecord,
): void {
  for (const row of selectRows(collection, body, 'all')) {
    collection.setPayload(row, change(collection.payloadOf(row)), version)
  }
}

function updateVectors(collection: Collection, body: JsonRecord, version: number): void {
  refuseFields(body, ['update_filter'], 'points/vectors')
  const changes = readList(body.points, 'points').map(item => {
    const point = readRecord(item, 'point')
    const id = readPointId(point.id)
    const row = collection.rowOf(id)
    if (row === undefined) throw unknownPoint(id)
    return { row, vectors: readVectors(collection, point.vector) }
  })
  for (const { row, vectors } of changes) {
    for (const [name, vector] of vectors) collection.putVector(row, name, vector)
    collection.setPayload(row, collection.payloadOf(row), version)
  }
}

function deleteVectors(collection: Collection, body: JsonRecord, version: number): void {
  const names = readList(body.vector, 'vector').map(name => readString(name, 'vector'))
  for (const row of selectRows(collection, body, 'present')) {
    for (const name of names) collection.removeVector(row, name)
    collection.setPayload(row, collection.payloadOf(row), version)
  }
}

/** Rows meant by `{points}` or `{filter}`; an unknown id is skipped, or with `all` a 404. */
function selectRows(collection: Collection, body: JsonRecord, demand: 'all' | 'present'): number[] {
  if (body.points === undefined || body.points === null) {
    if (!isRecord(body.filter)) {
      throw formatError('data did not match any variant of untagged enum PointsSelector')
    }
    return [...collection.matching(body.filter)]
  }
  const rows = new Set<number>()
  for (const value of readList(body.points, 'points')) {
    const id = readPointId(value)
    const row = collection.rowOf(id)
    if (row !== undefined) rows.add(row)
    else if (demand === 'all') throw unknownPoint(id)
  }
  return [...rows]
}
