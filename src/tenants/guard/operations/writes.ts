import { badRequest } from '../../../core/errors.ts'
import { collectionPath } from '../../../qdrant/paths.ts'
import { inSteps, listOf, objectOf, type ReadValue } from '../body/fields.ts'
import { unknownField } from '../body/refusals.ts'
import type { Guard } from '../routes/route.ts'
import { clearPayload, deletePayload, deletePoints, deleteVectors, overwritePayload, setPayload } from './changes.ts'
import { guardBody } from './guarding.ts'
import { updateVectors, upsert } from './upserts.ts'

export const guardUpsert = guardBody(upsert)
export const guardUpdateVectors = guardBody(updateVectors)
export const guardDeletePoints = guardBody(deletePoints)
export const guardDeleteVectors = guardBody(deleteVectors)
export const guardSetPayload = guardBody(setPayload)
export const guardOverwritePayload = guardBody(overwritePayload)
export const guardDeletePayload = guardBody(deletePayload)

const guardClearing = guardBody(clearPayload)

/** Becomes an overwriting with nothing but the tenant field. */
export const guardClearPayload: Guard = function* guard(request, text) {
  const guarded = yield* guardClearing(request, text)
  const target = `${collectionPath(request.collection ?? '', 'points/payload')}${request.queryString}`
  return { ...guarded, method: 'PUT', target }
}

/** The operations of `points/batch`: the name that is sent, and how the operation is read. */
const OPERATIONS: Readonly<Record<string, readonly [sentAs: string, read: ReadValue]>> = {
  upsert: ['upsert', upsert],
  delete: ['delete', deletePoints],
  set_payload: ['set_payload', setPayload],
  overwrite_payload: ['overwrite_payload', overwritePayload],
  delete_payload: ['delete_payload', deletePayload],
  clear_payload: ['overwrite_payload', clearPayload],
  update_vectors: ['update_vectors', updateVectors],
  delete_vectors: ['delete_vectors', deleteVectors],
}

const operation: ReadValue = function* read(reader, scope) {
  let guarded: string | null = null
  if (reader.kind !== 'object') throw badRequest('An operation must be an object.')
  for (const name of reader.members()) {
    const known = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
    if (known === undefined) throw unknownField(name, 'an operation')
    if (guarded !== null) throw badRequest('An operation has one name only.')
    const [sentAs, readOperation] = known
    guarded = `{"${sentAs}":${yield* inSteps(readOperation(reader, scope, 0))}}`
  }
  if (guarded === null) throw badRequest('An operation needs a name.')
  return guarded
}

export const guardBatch = guardBody(objectOf({ operations: listOf(operation, 'operations') }, 'the body'))
