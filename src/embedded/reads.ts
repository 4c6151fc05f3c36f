import type { PointId } from '../core/types.ts'
import { badRequest, notFound, refuseFields, unsupported } from './errors.ts'
import { type PayloadPath, parsePath, valuesAt } from './filter/payload-path.ts'
import { type QueryPlan, readQueryPlan } from './query/plan.ts'
import { type Hit, runQuery } from './query/run.ts'
import type { Collection } from './storage/collection.ts'
import { printConfig } from './storage/collection-config.ts'
import { Float32 } from './wire/json.ts'
import { comparePointIds, readPointId } from './wire/point-id.ts'
import { readPayloadSelector, readVectorSelector } from './wire/selectors.ts'
import { asList, isRecord, type JsonRecord, readCount, readList, readRecord, readString } from './wire/shape.ts'

/** The reads on one collection, each from a request body to the `result` of Qdrant's answer. */

export function queryPoints(collection: Collection, body: unknown): { points: unknown[] } {
  const request = readRecord(body, 'query request')
  const plan = readQueryPlan(request)
  return { points: runQuery(plan, collection).map(scoredPointPrinter(collection, request, plan)) }
}

/** The legacy `/points/search`: `vector` is an array or `{name, vector}`; the answer is a bare list. */
export function searchPoints(collection: Collection, body: unknown): unknown[] {
  const { vector, ...request } = readRecord(body, 'search request')
  const named = isRecord(vector) && 'name' in vector ? vector : { name: '', vector }
  if (request.limit === undefined) throw badRequest('missing field `limit`')
  return queryPoints(collection, { ...request, prefetch: undefined, using: named.name, query: named.vector }).points
}

/** Hits grouped by a payload field: groups in the order of their best hit. */
export function queryGroups(collection: Collection, body: unknown): { groups: unknown[] } {
  const request = readRecord(body, 'query groups request')
  refuseFields(request, ['with_lookup'], 'query groups')
  const path = parsePath(readString(request.group_by, 'group_by'))
  const limit = readCount(request.limit, 'limit', 10, 1)
  const size = readCount(request.group_size, 'group_size', 3, 1)
  const plan = readQueryPlan({ ...request, limit: collection.size + 1, offset: 0 })
  if (plan.scoring?.kind === 'nearest' && plan.scoring.diversity) throw unsupported('mmr in query groups')
  const print = scoredPointPrinter(collection, request, plan)
  const groups = new Map<unknown, Hit[]>()
  for (const hit of runQuery(plan, collection)) {
    for (const key of new Set(elementsAt(collection, hit.row, path))) {
      if (typeof key !== 'string' && !Number.isInteger(key)) continue
      const hits = groups.get(key)
      if (hits !== undefined) hits.length < size && hits.push(hit)
      else if (groups.size < limit) groups.set(key, [hit])
    }
  }
  return { groups: [...groups].map(([id, hits]) => ({ hits: hits.map(print), id })) }
}

export function scrollPoints(collection: Collection, body: unknown): JsonRecord {
  const request = readRecord(body, 'scroll request')
  refuseFields(request, ['order_by'], 'scroll')
  const limit = readCount(request.limit, 'limit', 10, 1)
  const from = request.offset === undefined || request.offset === null ? undefined : readPointId(request.offset)
  const print = recordPrinter(collection, request)
  const points: unknown[] = []
  let next: PointId | null = null
  for (const row of collection.matching(request.filter)) {
    const id = collection.idOf(row)
    if (from !== undefined && comparePointIds(id, from) < 0) continue
    if (points.length === limit) {
      next = id
      break
    }
    points.push(print(row))
  }
  return { points, next_page_offset: next }
}

export function retrievePoints(collection: Collection, body: unknown): unknown[] {
  const request = readRecord(body, 'point request')
  const print = recordPrinter(collection, request)
  const ids = new Set(readList(request.ids, 'ids').map(readPointId))
  return [...ids].flatMap(id => {
    const row = collection.rowOf(id)
    return row === undefined ? [] : [print(row)]
  })
}

export function getPoint(collection: Collection, id: PointId): unknown {
  const row = collection.rowOf(id)
  if (row === undefined) throw notFound(`Point with id ${id} does not exists!`)
  return recordPrinter(collection, { with_vector: true })(row)
}

export function countPoints(collection: Collection, body: unknown): { count: number } {
  const { filter } = readRecord(body, 'count request')
  if (filter === undefined || filter === null) return { count: collection.size }
  return { count: [...collection.matching(filter)].length }
}

/** Values of an indexed field with the number of points that hold them, most frequent first. */
export function facetValues(collection: Collection, body: unknown): { hits: unknown[] } {
  const request = readRecord(body, 'facet request')
  const key = readString(request.key, 'key')
  if (!collection.indexes.has(key)) {
    throw badRequest(
      `Index required but not found for "${key}". Help: Create an index for this key to use it in facets`,
    )
  }
  const path = parsePath(key)
  const counts = new Map<unknown, number>()
  for (const row of collection.matching(request.filter)) {
    for (const value of new Set(elementsAt(collection, row, path))) {
      if (typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value)) {
        counts.set(value, (counts.get(value) ?? 0) + 1)
      }
    }
  }
  const hits = [...counts].sort(([a, m], [b, n]) => n - m || (String(a) < String(b) ? -1 : 1))
  const limit = readCount(request.limit, 'limit', 10, 1)
  return { hits: hits.slice(0, limit).map(([value, count]) => ({ value, count })) }
}

export function collectionInfo(collection: Collection): JsonRecord {
  const schema = [...collection.indexes].map(([field, given]) => {
    const path = parsePath(field)
    const holding = [...collection.matching(undefined)].filter(row => isIndexable(collection, row, path))
    const [data_type, params] = isRecord(given) ? [given.type, given] : [given, undefined]
    return [field, { data_type, params, points: holding.length }]
  })
  return {
    status: 'green',
    optimizer_status: 'ok',
    points_count: collection.size,
    segments_count: 1,
    config: printConfig(collection.config),
    payload_schema: Object.fromEntries(schema),
  }
}

function isIndexable(collection: Collection, row: number, path: PayloadPath): boolean {
  return elementsAt(collection, row, path).some(value => value !== null)
}

/** What a payload holds at a path, arrays taken apart. */
function elementsAt(collection: Collection, row: number, path: PayloadPath): unknown[] {
  return valuesAt(collection.payloadOf(row), path).flatMap(asList)
}

/** Without a query, Qdrant's answer carries version 0 beside the fixed score. */
function scoredPointPrinter(collection: Collection, request: JsonRecord, plan: QueryPlan): (hit: Hit) => JsonRecord {
  const payload = readPayloadSelector(request.with_payload, false)
  const vectors = readVectorSelector(request)
  return ({ row, score }) => ({
    id: collection.idOf(row),
    version: plan.scoring === undefined ? 0 : collection.versionOf(row),
    score: new Float32(score),
    payload: payload(collection.payloadOf(row)),
    vector: collection.printVectors(row, vectors),
  })
}

function recordPrinter(collection: Collection, request: JsonRecord): (row: number) => JsonRecord {
  const payload = readPayloadSelector(request.with_payload, true)
  const vectors = readVectorSelector(request)
  return row => ({
    id: collection.idOf(row),
    payload: payload(collection.payloadOf(row)),
    vector: collection.printVectors(row, vectors),
  })
}
