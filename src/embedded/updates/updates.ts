import { badRequest, formatError, validationError } from '../errors.ts'
import { parsePath } from '../filter/payload-path.ts'
import type { Collection } from '../storage/collection.ts'
import { checkSchema, readIndex } from '../storage/payload-index.ts'
import { isRecord, type JsonRecord, readRequest, readString } from '../wire/shape.ts'
import type { CheckedUpdate, Update } from './checked-update.ts'
import { clearPayload, deletePayload, overwritePayload, setPayload } from './payload.ts'
import { deletePoints, upsert } from './points.ts'
import { deleteVectors, updateVectors } from './vectors.ts'

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
