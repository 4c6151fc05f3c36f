import { badRequest, formatError, refuseFields } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import { restoreLine, type WholePoint } from '../storage/log-lines.ts'
import { readPointId } from '../wire/point-id.ts'
import { isRecord, type JsonRecord, readList, readRecord } from '../wire/shape.ts'
import { readVector, type Vector } from '../wire/vector.ts'
import { changeEach, inSlices, type Update } from './checked-update.ts'
import { selectPoints } from './selection.ts'

/** Inserts points, or replaces those that exist and match `update_filter`. */
export const upsert: Update = async (collection, body, version, pace) => {
  refuseFields(body, ['update_mode'], 'upsert')
  const mayUpdate = body.update_filter ? collection.filter(body.update_filter) : () => true
  const accepted: WholePoint[] = []
  for (const given of readPoints(body)) {
    if (pace.isDue()) await pace.rest()
    if (given.id === undefined) throw formatError('missing field `id`')
    const point = { id: readPointId(given.id), payload: readRecord(given.payload ?? {}, 'payload'), version }
    const vectors = readVectors(collection, given.vector)
    if (collection.get(point.id) === undefined || mayUpdate(point.id)) accepted.push({ point, vectors })
  }
  return {
    line: name => restoreLine(name, version + 1, accepted),
    commit: () => inSlices(accepted, ({ point, vectors }) => collection.put(point, vectors)),
  }
}

export const deletePoints: Update = async (collection, body, _version, pace) =>
  changeEach(await selectPoints(collection, body, pace), body, ({ id }) => collection.remove(id))

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

/** Reads and checks the vectors of one point, by name; a single vector without a name has the name `''`. */
export function readVectors(collection: Collection, value: unknown): Map<string, Vector> {
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
