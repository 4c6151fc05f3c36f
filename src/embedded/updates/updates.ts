import { badRequest, formatError, unknownPoint, validationError } from '../errors.ts'
import { mergedAt, parsePath, without } from '../filter/payload-path.ts'
import type { Collection, Point } from '../storage/collection.ts'
import { changeLine, type WholePoint } from '../storage/log-lines.ts'
import { checkSchema, readIndex } from '../storage/payload-index.ts'
import { readPointId } from '../wire/point-id.ts'
import { isRecord, type JsonRecord, readList, readRecord, readRequest, readString } from '../wire/shape.ts'
import { type CheckedUpdate, changeEach, inSlices, type Update } from './checked-update.ts'
import { deletePoints, readVectors, upsert } from './points.ts'
import { selectPoints } from './selection.ts'

/** Replaces the given vectors of points; their other vectors stay. */
const updateVectors: Update = async (collection, body, version, pace) => {
  const mayUpdate = body.update_filter ? collection.filter(body.update_filter) : () => true
  const changes: WholePoint[] = []
  for (const item of readList(body.points, 'points')) {
    if (pace.isDue()) await pace.rest()
    const given = readRecord(item, 'point')
    const id = readPointId(given.id)
    const point = collection.get(id)
    if (point === undefined) throw unknownPoint(id)
    const vectors = readVectors(collection, given.vector)
    if (mayUpdate(id)) changes.push({ point, vectors })
  }
  return {
    line: name => changeLine({ kind: 'update_vectors', collection: name, body: { points: changes.map(printChange) } }),
    commit: () =>
      inSlices(changes, ({ point, vectors }) => {
        for (const [name, vector] of vectors) collection.vectorStore(name).set(point.id, vector)
        collection.putPayload({ ...point, version })
      }),
  }
}

function printChange({ point, vectors }: WholePoint): JsonRecord {
  return { id: point.id, vector: Object.fromEntries(vectors) }
}

const deleteVectors: Update = async (collection, body, version, pace) => {
  const names = readList(body.vector, 'vector').map(name => readString(name, 'vector'))
  const points = await selectPoints(collection, body, pace)
  return changeEach(points, body, point => {
    for (const name of names) collection.vectors.get(name)?.remove(point.id)
    collection.putPayload({ ...point, version })
  })
}

const setPayload = changePayload(body => {
  const patch = readRecord(body.payload, 'payload')
  const path = (body.key ?? null) === null ? [] : parsePath(readString(body.key, 'key'))
  return payload => mergedAt(payload, path, patch)
})

const overwritePayload = changePayload(body => {
  const payload = readRecord(body.payload, 'payload')
  return () => payload
})

const deletePayload = changePayload(body => {
  const paths = readList(body.keys, 'keys').map(key => parsePath(readString(key, 'keys')))
  return payload => without(payload, paths)
})

const clearPayload = changePayload(() => () => ({}))

/** Builds a write from how it reads its body and what it then makes of a payload. */
function changePayload(read: (body: JsonRecord) => (payload: JsonRecord) => JsonRecord): Update {
  return async (collection, body, version, pace) => {
    const change = read(body)
    const points = await selectPoints(collection, body, pace, unknownPoint)
    const changed: Point[] = []
    for (const { id, payload } of points) {
      if (pace.isDue()) await pace.rest()
      changed.push({ id, payload: change(payload), version })
    }
    return changeEach(changed, body, point => collection.putPayload(point))
  }
}

/** Operations of one `points/batch`. */
export const MAXIMUM_BATCH = 1000

/** The writes to points and payload indexes, by their names in `points/batch`. */
const UPDATES: { readonly [kind: string]: Update } = {
  upsert,
  delete: deletePoints,
  set_payload: setPayload,
  overwrite_payload: overwritePayload,
  delete_payload: deletePayload,
  clear_payload: clearPayload,
  update_vectors: updateVectors,
  delete_vectors: deleteVectors,
  create_index: createIndex,
  delete_index: deleteIndex,
}

/** @throws EngineError 400 when there is no such update */
export function findUpdate(kind: string): Update {
  const update = Object.hasOwn(UPDATES, kind) ? UPDATES[kind] : undefined
  if (update === undefined) throw formatError(`unknown operation \`${kind}\``)
  return update
}

/**
 * Refuses what a request must not ask for although the change itself could be made. The log is read without this check, so
 * that a line of an earlier version stays a line.
 * @throws EngineError
 */
export function checkRequest(collection: Collection, kind: string, body: unknown): void {
  const request = readRequest(body, kind)
  if (kind === 'create_index') checkSchema(request.field_schema ?? request.field_type ?? null)
  if (kind === 'update_vectors' && Array.isArray(request.points)) {
    const empty = request.points.findIndex(
      point => isRecord(point) && isRecord(point.vector) && Object.keys(point.vector).length === 0,
    )
    if (empty >= 0) throw validationError(`points[${empty}].vector: must specify vectors to update for point`)
  }
  if (kind === 'delete_vectors' && Array.isArray(request.vector)) {
    if (request.vector.length === 0) throw validationError('vector: must specify vector names to delete')
    for (const name of request.vector) collection.vectorStore(readString(name, 'vector'))
  }
}

function createIndex(collection: Collection, body: JsonRecord): CheckedUpdate {
  const field = readString(body.field_name, 'field_name')
  parsePath(field)
  const schema = body.field_schema ?? body.field_type ?? null
  if (schema === null) throw badRequest('the embedded engine needs a `field_schema`')
  const index = readIndex(schema)
  return { commit: () => void collection.indexes.set(field, index) }
}

function deleteIndex(collection: Collection, body: JsonRecord): CheckedUpdate {
  const field = readString(body.field_name, 'field_name')
  return { commit: () => void collection.indexes.delete(field) }
}
