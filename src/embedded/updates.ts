import type { PointId } from '../core/types.ts'
import { badRequest, formatError, refuseFields, unknownPoint } from './errors.ts'
import { mergedAt, parsePath, without } from './filter/payload-path.ts'
import type { Collection, Point } from './storage/collection.ts'
import { readPointId } from './wire/point-id.ts'
import { isRecord, type JsonRecord, readList, readRecord, readString } from './wire/shape.ts'
import { readVector, type Vector } from './wire/vector.ts'

type Update = (collection: Collection, body: JsonRecord, version: number) => void

/** The writes to points and payload indexes, by their names in `points/batch`. Each checks its whole body before it changes anything. */
const UPDATES: { readonly [kind: string]: Update } = {
  upsert,
  delete: (collection, body) => {
    for (const { id } of selectPoints(collection, body)) collection.remove(id)
  },
  set_payload: (collection, body, version) => {
    const patch = readRecord(body.payload, 'payload')
    const path = (body.key ?? null) === null ? [] : parsePath(readString(body.key, 'key'))
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
  delete_vectors: (collection, body, version) => {
    const names = readList(body.vector, 'vector').map(name => readString(name, 'vector'))
    for (const point of selectPoints(collection, body)) {
      for (const name of names) collection.vectors.get(name)?.remove(point.id)
      collection.putPayload({ ...point, version })
    }
  },
  create_index: (collection, body) => {
    const field = readString(body.field_name, 'field_name')
    parsePath(field)
    if ((body.field_schema ?? null) === null) throw badRequest('the embedded engine needs a `field_schema`')
    collection.createIndex(field, body.field_schema)
  },
  delete_index: (collection, body) => {
    collection.indexes.delete(readString(body.field_name, 'field_name'))
  },
}

/** @throws EngineError 400 when there is no such update */
export function findUpdate(kind: string): Update {
  const update = Object.hasOwn(UPDATES, kind) ? UPDATES[kind] : undefined
  if (update === undefined) throw formatError(`unknown operation \`${kind}\``)
  return update
}

/** Applies one write and returns its operation number. @throws EngineError, and then nothing is changed */
export function applyUpdate(collection: Collection, kind: string, body: unknown): number {
  findUpdate(kind)(collection, readRecord(body, kind), collection.nextOperation)
  return collection.nextOperation++
}

function upsert(collection: Collection, body: JsonRecord, version: number): void {
  const points = readPoints(body).map(given => {
    if (given.id === undefined) throw formatError('missing field `id`')
    const payload = readRecord(given.payload ?? {}, 'payload')
    return { point: { id: readPointId(given.id), payload, version }, vectors: readVectors(collection, given.vector) }
  })
  refuseFields(body, ['update_mode'], 'upsert')
  const mayUpdate = body.update_filter ? collection.filter(body.update_filter) : () => true
  for (const { point, vectors } of points) {
    if (collection.get(point.id) === undefined || mayUpdate(point.id)) collection.put(point, vectors)
  }
}

/** Reads points as a list, or as columns (`batch`). */
function readPoints(body: JsonRecord): JsonRecord[] {
  if (body.points !== undefined) return readList(body.points, 'points').map(point => readRecord(point, 'point'))
  const { ids: idColumn, vectors, payloads } = readRecord(body.batch, 'points or batch')
  const ids = readList(idColumn, 'ids')
  const column = (values: unknown, field: string) => {
    const list = readList(values, field)
    if (list.length === ids.length) return list
    throw badRequest(`number of ids and ${field} must be equal (${ids.length} != ${list.length})`)
  }
  const payloadColumn = column(payloads ?? ids.map(() => null), 'payloads')
  const vectorColumns = Object.entries(isRecord(vectors) ? vectors : { '': vectors }).map(
    ([name, values]) => [name, column(values, 'vectors')] as const,
  )
  return ids.map((id, i) => ({
    id,
    vector: Object.fromEntries(vectorColumns.map(([name, values]) => [name, values[i]])),
    payload: payloadColumn[i],
  }))
}

export function upsertedIds(body: unknown): PointId[] {
  return readPoints(readRecord(body, 'upsert')).map(({ id }) => readPointId(id))
}

/** Reads and checks the vectors of one point, by name; a single vector without a name has the name `''`. */
function readVectors(collection: Collection, value: unknown): Map<string, Vector> {
  if ((value ?? null) === null) throw formatError('missing field `vector`')
  const isNamed = isRecord(value) && !('model' in value && 'text' in value)
  return new Map(
    Object.entries(isNamed ? value : { '': value }).map(([name, item]) => {
      const vector = readVector(item, 'document')
      collection.vectorStore(name).check(vector)
      return [name, vector]
    }),
  )
}

function changePayload(
  collection: Collection,
  body: JsonRecord,
  version: number,
  change: (payload: JsonRecord) => JsonRecord,
): void {
  for (const { id, payload } of selectPoints(collection, body, unknownPoint)) {
    collection.putPayload({ id, payload: change(payload), version })
  }
}

function updateVectors(collection: Collection, body: JsonRecord, version: number): void {
  refuseFields(body, ['update_filter'], 'points/vectors')
  const changes = readList(body.points, 'points').map(item => {
    const given = readRecord(item, 'point')
    const id = readPointId(given.id)
    const point = collection.get(id)
    if (point === undefined) throw unknownPoint(id)
    return { point, vectors: readVectors(collection, given.vector) }
  })
  for (const { point, vectors } of changes) {
    for (const [name, vector] of vectors) collection.vectorStore(name).set(point.id, vector)
    collection.putPayload({ ...point, version })
  }
}

/** Reads `{points}` or `{filter}`. Unknown ids are skipped, or thrown as `unknown`. */
function selectPoints(collection: Collection, body: JsonRecord, unknown?: (id: PointId) => Error): Point[] {
  if ((body.points ?? null) === null) {
    if (!isRecord(body.filter)) throw formatError('`points` or `filter` is required')
    return [...collection.matching(body.filter)]
  }
  const ids = new Set(readList(body.points, 'points').map(readPointId))
  return [...ids].flatMap(id => {
    const point = collection.get(id)
    if (point === undefined && unknown !== undefined) throw unknown(id)
    return point ?? []
  })
}
