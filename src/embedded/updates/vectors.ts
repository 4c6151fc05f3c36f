import { unknownPoint } from '../errors.ts'
import { changeLine, type WholePoint } from '../storage/log-lines.ts'
import { readPointId } from '../wire/point-id.ts'
import { type JsonRecord, readList, readRecord, readString } from '../wire/shape.ts'
import { changeEach, inSlices, type Update } from './checked-update.ts'
import { readVectors } from './points.ts'
import { selectPoints } from './selection.ts'

/** Replaces the given vectors of points; their other vectors stay. */
export const updateVectors: Update = async (collection, body, version, pace) => {
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

export const deleteVectors: Update = async (collection, body, version, pace) => {
  const names = readList(body.vector, 'vector').map(name => readString(name, 'vector'))
  const points = await selectPoints(collection, body, pace)
  return changeEach(points, body, point => {
    for (const name of names) collection.vectors.get(name)?.remove(point.id)
    collection.putPayload({ ...point, version })
  })
}
