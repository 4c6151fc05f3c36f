import { collectionPath } from '../../../qdrant/paths.ts'
import { longListOf, printMembers, type ReadInSteps, readLongMembers } from '../body/fields.ts'
import { badRequest, unknownField } from '../body/refusals.ts'
import type { Guard } from '../routes/route.ts'
import { clearPayload, deletePayload, deletePoints, deleteVectors, overwritePayload, setPayload } from './changes.ts'
import { guardBodyInSteps } from './guarding.ts'
import { updateVectors, upsert } from './upserts.ts'

export const guardUpsert = guardBodyInSteps(upsert)
export const guardUpdateVectors = guardBodyInSteps(updateVectors)
export const guardDeletePoints = guardBodyInSteps(deletePoints)
export const guardDeleteVectors = guardBodyInSteps(deleteVectors)
export const guardSetPayload = guardBodyInSteps(setPayload)
export const guardOverwritePayload = guardBodyInSteps(overwritePayload)
export const guardDeletePayload = guardBodyInSteps(deletePayload)

const guardClearing = guardBodyInSteps(clearPayload)

/** Becomes an overwriting with nothing but the tenant field. */
export const guardClearPayload: Guard = function* guard(request, text) {
  const guarded = yield* guardClearing(request, text)
  const target = `${collectionPath(request.collection ?? '', 'points/payload')}${request.queryString}`
  return { ...guarded, method: 'PUT', target }
}

/** The operations of `points/batch`: the name that is sent, and how the operation is read. */
const OPERATIONS: Readonly<Record<string, readonly [sentAs: string, read: ReadInSteps]>> = {
  upsert: ['upsert', upsert],
  delete: ['delete', deletePoints],
  set_payload: ['set_payload', setPayload],
  overwrite_payload: ['overwrite_payload', overwritePayload],
  delete_payload: ['delete_payload', deletePayload],
  clear_payload: ['overwrite_payload', clearPayload],
  update_vectors: ['update_vectors', updateVectors],
  delete_vectors: ['delete_vectors', deleteVectors],
}

const operation: ReadInSteps = function* read(reader, scope) {
  let guarded: string | null = null
  if (reader.kind !== 'object') throw badRequest('An operation must be an object.')
  for (const name of reader.members()) {
    const known = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
    if (known === undefined) throw unknownField(name, 'an operation')
    if (guarded !== null) throw badRequest('An operation has one name only.')
    const [sentAs, readOperation] = known
    guarded = `{"${sentAs}":${yield* readOperation(reader, scope)}}`
  }
  if (guarded === null) throw badRequest('An operation needs a name.')
  return guarded
}

const operations = longListOf(operation, 'operations')

export const guardBatch = guardBodyInSteps(function* readBatch(reader, scope) {
  return printMembers(yield* readLongMembers(reader, scope, {}, { operations }, 'the body'))
})
