import type { PointId } from '../../core/types.ts'
import { notFound } from '../errors.ts'
import { Pace } from '../pace.ts'
import type { Collection } from '../storage/collection.ts'
import { comparePointIds, readPointId } from '../wire/point-id.ts'
import { type JsonRecord, readCount, readList, readRequest } from '../wire/shape.ts'
import { pointsInOrder, readOrder } from './order-by.ts'
import { pointPrinter, printEach } from './print.ts'

/** A read of a collection: it takes a request body and returns the `result` of the answer. */
export type Read<Result = unknown> = (collection: Collection, body: unknown, pace?: Pace) => Promise<Result>

export const scrollPoints: Read<JsonRecord> = async (collection, body, pace = new Pace()) => {
  const request = readRequest(body, 'scroll request')
  const limit = readCount(request.limit, 'limit', 10, 1)
  const from = (request.offset ?? null) === null ? undefined : readPointId(request.offset)
  const print = pointPrinter(collection, request)
  const order = readOrder(collection, request)
  if (order !== undefined) {
    const found = await pointsInOrder(collection, order, request.filter, limit, pace)
    const points = await printEach(found, ({ point, value }) => [{ ...print(point), order_value: value }], pace)
    return { points, next_page_offset: null }
  }
  const points: unknown[] = []
  for await (const point of collection.matching(request.filter, pace)) {
    if (from !== undefined && comparePointIds(point.id, from) < 0) continue
    if (points.length === limit) return { points, next_page_offset: point.id }
    points.push(print(point))
  }
  return { points, next_page_offset: null }
}

export const retrievePoints: Read<unknown[]> = async (collection, body, pace = new Pace()) => {
  const request = readRequest(body, 'point request')
  const print = pointPrinter(collection, request)
  const points: unknown[] = []
  for (const id of new Set(readList(request.ids, 'ids').map(readPointId))) {
    if (pace.isDue()) await pace.rest()
    const point = collection.get(id)
    if (point !== undefined) points.push(print(point))
  }
  return points
}

export function getPoint(collection: Collection, id: PointId): unknown {
  const point = collection.get(id)
  if (point === undefined) throw notFound(`Point with id ${id} does not exists!`)
  return pointPrinter(collection, { with_vector: true })(point)
}

export const countPoints: Read<{ count: number }> = async (collection, body, pace = new Pace()) => {
  let count = 0
  const matching = collection.matching(readRequest(body, 'count request').filter, pace)
  for await (const _ of matching) count++
  return { count }
}
