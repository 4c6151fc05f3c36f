import { badRequest, formatError, unsupported, wrongInput } from '../errors.ts'
import { parsePath, valuesAt } from '../filter/payload-path.ts'
import { readDatetime } from '../filter/range.ts'
import type { Pace } from '../pace.ts'
import { TopHits } from '../query/top-hits.ts'
import type { Collection, Point } from '../storage/collection.ts'
import { hasOrder, type IndexType } from '../storage/payload-index.ts'
import { wholeFloat } from '../wire/json.ts'
import { asList, isRecord, type JsonRecord, readString, toNumber } from '../wire/shape.ts'

/** The points of a scroll in the order of a payload field. */
export interface Order {
  key: string
  type: IndexType
  descending: boolean
  /** The first value, as a number; times are in microseconds since 1970. */
  from: number | undefined
}

/** Reads `order_by`. @throws EngineError 400 when it is malformed, goes with an offset, or has no index that orders */
export function readOrder(collection: Collection, { order_by, offset }: JsonRecord): Order | undefined {
  if ((order_by ?? null) === null) return undefined
  const given: JsonRecord = isRecord(order_by) ? order_by : { key: order_by }
  const key = readString(given.key, 'order_by')
  parsePath(key)
  const direction = given.direction ?? 'asc'
  if (direction !== 'asc' && direction !== 'desc')
    throw formatError(`unknown variant \`${String(direction)}\`, expected \`asc\` or \`desc\``)
  if ((offset ?? null) !== null) {
    throw badRequest(
      "Cannot use an `offset` when using `order_by`. The alternative for paging is to use `order_by.start_from` and a filter to exclude the IDs that you've already seen for the `order_by.start_from` value",
    )
  }
  const index = collection.indexes.get(key)
  if (index?.type === undefined || !hasOrder(index)) {
    throw wrongInput(
      `No range index for \`order_by\` key: \`${key}\`. Please create one to use \`order_by\`. Check https://qdrant.tech/documentation/concepts/indexing/#payload-index to see which payload schemas support Range conditions`,
    )
  }
  return { key, type: index.type, descending: direction === 'desc', from: readStart(given.start_from, index.type) }
}

/** The points that match a filter, by the values of a field: a point with several values comes once for each. */
export async function pointsInOrder(
  collection: Collection,
  order: Order,
  filter: unknown,
  limit: number,
  pace: Pace,
): Promise<{ point: Point; value: unknown }[]> {
  const path = parsePath(order.key)
  const sign = order.descending ? 1 : -1
  const top = new TopHits(limit, undefined, order.descending)
  for await (const { id, payload } of collection.matching(filter, pace)) {
    for (const stored of valuesAt(payload, path).flatMap(asList)) {
      const value = orderValue(stored, order.type)
      if (value === undefined) continue
      if (order.from !== undefined && sign * value > sign * order.from) continue
      top.offer(id, sign * value)
    }
  }
  return top.best().flatMap(({ id, value }) => {
    const point = collection.get(id)
    return point === undefined ? [] : [{ point, value: printValue(sign * value, order.type) }]
  })
}

function orderValue(stored: unknown, type: IndexType): number | undefined {
  if (type === 'datetime') return readDatetime(stored)
  if (type === 'float') return toNumber(stored)
  return Number.isInteger(stored) || typeof stored === 'bigint' ? Number(stored) : undefined
}

function readStart(given: unknown, type: IndexType): number | undefined {
  if ((given ?? null) === null) return undefined
  if (type === 'datetime') {
    const time = readDatetime(given)
    if (time === undefined) throw unsupported('`order_by.start_from` that is not a time, on a field of times')
    return time
  }
  const number = toNumber(given)
  if (number === undefined) throw unsupported('`order_by.start_from` that is not a number, on a field of numbers')
  return number
}

function printValue(value: number, type: IndexType): unknown {
  return type === 'float' && Number.isInteger(value) ? wholeFloat(value) : value
}
