import type { PointId } from '../core/types.ts'
import { badRequest, notFound, refuseFields, unsupported } from './errors.ts'
import { parsePath, valuesAt } from './filter/payload-path.ts'
import { type QueryPlan, readQueryPlan } from './query/plan.ts'
import { type Hit, runQuery } from './query/run.ts'
import type { Collection, Point } from './storage/collection.ts'
import { float32 } from './wire/json.ts'
import { comparePointIds, readPointId } from './wire/point-id.ts'
import { readPayloadSelector, readVectorNames } from './wire/selectors.ts'
import { asList, isRecord, type JsonRecord, readCount, readList, readRecord, readString } from './wire/shape.ts'
import type { Vector } from './wire/vector.ts'

/** The reads of one collection. Each takes a request body and returns the `result` of the answer. */

export function queryPoints(collection: Collection, body: unknown): { points: unknown[] } {
  const request = readRecord(body, 'query request')
  const plan = readQueryPlan(request)
  return { points: runQuery(plan, collection).map(hitPrinter(collection, request, plan)) }
}

/** The older `/points/search`: `vector` is an array or `{name, vector}`, and the answer is a list. */
export function searchPoints(collection: Collection, body: unknown): unknown[] {
  const { vector, ...request } = readRecord(body, 'search request')
  const named = isRecord(vector) && 'name' in vector ? vector : { name: '', vector }
  if (request.limit === undefined) throw badRequest('missing field `limit`')
  return queryPoints(collection, { ...request, prefetch: undefined, using: named.name, query: named.vector }).points
}

/** Hits grouped by a payload field. Groups are in the order of their best hit. */
export function queryGroups(collection: Collection, body: unknown): { groups: unknown[] } {
  const request = readRecord(body, 'query groups request')
  refuseFields(request, ['with_lookup'], 'query groups')
  const path = parsePath(readString(request.group_by, 'group_by'))
  const limit = readCount(request.limit, 'limit', 10, 1)
  const size = readCount(request.group_size, 'group_size', 3, 1)
  const plan = readQueryPlan({ ...request, limit: collection.size + 1, offset: 0 })
  if (plan.scoring?.kind === 'nearest' && plan.scoring.diversity) throw unsupported('mmr in query groups')
  const groups = new Map<unknown, Hit[]>()
  for (const hit of runQuery(plan, collection)) {
    for (const key of new Set(valuesAt(collection.get(hit.id)?.payload, path).flatMap(asList))) {
      if (typeof key !== 'string' && !Number.isInteger(key)) continue
      const hits = groups.get(key)
      if (hits !== undefined) hits.length < size && hits.push(hit)
      else if (groups.size < limit) groups.set(key, [hit])
    }
  }
  const print = hitPrinter(collection, request, plan)
  return { groups: [...groups].map(([id, hits]) => ({ hits: hits.map(print), id })) }
}

export function scrollPoints(collection: Collection, body: unknown): JsonRecord {
  const request = readRecord(body, 'scroll request')
  refuseFields(request, ['order_by'], 'scroll')
  const limit = readCount(request.limit, 'limit', 10, 1)
  const from = (request.offset ?? null) === null ? undefined : readPointId(request.offset)
  const print = pointPrinter(collection, request)
  const points: unknown[] = []
  for (const point of collection.matching(request.filter)) {
    if (from !== undefined && comparePointIds(point.id, from) < 0) continue
    if (points.length === limit) return { points, next_page_offset: point.id }
    points.push(print(point))
  }
  return { points, next_page_offset: null }
}

export function retrievePoints(collection: Collection, body: unknown): unknown[] {
  const request = readRecord(body, 'point request')
  const print = pointPrinter(collection, request)
  const ids = new Set(readList(request.ids, 'ids').map(readPointId))
  return [...ids].flatMap(id => {
    const point = collection.get(id)
    return point === undefined ? [] : [print(point)]
  })
}

export function getPoint(collection: Collection, id: PointId): unknown {
  const point = collection.get(id)
  if (point === undefined) throw notFound(`Point with id ${id} does not exists!`)
  return pointPrinter(collection, { with_vector: true })(point)
}

export function countPoints(collection: Collection, body: unknown): { count: number } {
  return { count: [...collection.matching(readRecord(body, 'count request').filter)].length }
}

/** What Qdrant's own clients and this project read. The Python client requires the last two members of `config`. */
export function collectionInfo(collection: Collection): JsonRecord {
  const { vectors, sparse_vectors } = collection.config
  const payload_schema: JsonRecord = {}
  for (const [field, { schema }] of collection.indexes) {
    const path = parsePath(field)
    const holds = ({ payload }: Point) =>
      valuesAt(payload, path)
        .flatMap(asList)
        .some(value => value !== null)
    const [data_type, params] = isRecord(schema) ? [schema.type, schema] : [schema]
    payload_schema[field] = { data_type, params, points: [...collection.matching()].filter(holds).length }
  }
  return {
    status: 'green',
    optimizer_status: 'ok',
    points_count: collection.size,
    segments_count: 1,
    config: {
      params: { vectors: vectors ?? {}, sparse_vectors: sparse_vectors ?? undefined },
      hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
      optimizer_config: {
        deleted_threshold: 0.2,
        vacuum_min_vector_number: 1000,
        default_segment_number: 0,
        flush_interval_sec: 5,
      },
    },
    payload_schema,
  }
}

/** Without a query, Qdrant answers with version 0. */
function hitPrinter(collection: Collection, request: JsonRecord, plan: QueryPlan): (hit: Hit) => JsonRecord {
  const print = pointPrinter(collection, { ...request, with_payload: request.with_payload ?? false })
  return ({ id, score }) => {
    const { payload = {}, version = 0 } = collection.get(id) ?? {}
    const printed = print({ id, payload, version })
    return { id, version: plan.scoring === undefined ? 0 : version, score: float32(score), ...printed }
  }
}

function pointPrinter(collection: Collection, request: JsonRecord): (point: Point) => JsonRecord {
  const select = readPayloadSelector(request.with_payload ?? true)
  const names = readVectorNames(request, [...collection.vectors.keys()])
  return ({ id, payload }) => ({
    id,
    payload: select(payload),
    vector: names === undefined ? undefined : printVectors(collection, id, names),
  })
}

/** A list for a single vector without a name, else an object by name. */
function printVectors(collection: Collection, id: PointId, names: readonly string[]): unknown {
  const found: [string, Vector][] = []
  for (const name of names) {
    const vector = collection.vectorStore(name).get(id)
    if (vector !== undefined) found.push([name, vector])
  }
  const [first] = found
  return found.length === 1 && first?.[0] === '' ? first[1] : Object.fromEntries(found)
}
