import { formatError, refuseFields, unsupported } from '../errors.ts'
import { parsePath, valuesAt } from '../filter/payload-path.ts'
import { Pace } from '../pace.ts'
import { readQueryPlan } from '../query/plan.ts'
import { type Hit, runQuery } from '../query/run.ts'
import { asList, isRecord, type JsonRecord, readCount, readRequest, readString } from '../wire/shape.ts'
import type { Read } from './points.ts'
import { hitPrinter, printEach } from './print.ts'

export const queryPoints: Read<{ points: unknown[] }> = async (collection, body, pace = new Pace()) => {
  const request = readRequest(body, 'query request')
  const plan = readQueryPlan(request)
  const print = hitPrinter(collection, request, plan.scoring !== undefined)
  const hits = await runQuery(plan, collection, pace)
  return { points: await printEach(hits, print, pace) }
}

/** The older `/points/search`; the answer is a list. */
export const searchPoints: Read<unknown[]> = async (collection, body, pace) =>
  (await queryPoints(collection, searchAsQuery(body), pace)).points

/** The older `/points/search/groups`. */
export const searchGroups: Read = async (collection, body, pace) => queryGroups(collection, searchAsQuery(body), pace)

/** The older `/points/recommend`; the answer is a list. */
export const recommendPoints: Read<unknown[]> = async (collection, body, pace) =>
  (await queryPoints(collection, recommendAsQuery(body), pace)).points

/** The older `/points/recommend/groups`. */
export const recommendGroups: Read = async (collection, body, pace) =>
  queryGroups(collection, recommendAsQuery(body), pace)

/** `vector` is an array or `{name, vector}`. */
function searchAsQuery(body: unknown): JsonRecord {
  const { vector, ...request } = readRequest(body, 'search request')
  requireFields(request, vector === undefined ? ['vector'] : ['limit'])
  const named = isRecord(vector) && 'name' in vector ? vector : { name: '', vector }
  return { ...request, prefetch: undefined, using: named.name, query: named.vector }
}

function recommendAsQuery(body: unknown): JsonRecord {
  const { positive, negative, strategy, ...request } = readRequest(body, 'recommend request')
  requireFields(request, ['limit'])
  return { ...request, prefetch: undefined, query: { recommend: { positive, negative, strategy } } }
}

function requireFields(request: JsonRecord, fields: readonly string[]): void {
  const missing = fields.find(field => request[field] === undefined)
  if (missing !== undefined) throw formatError(`missing field \`${missing}\``)
}

/** Hits grouped by a payload field. Groups are in the order of their best hit. */
export const queryGroups: Read<{ groups: unknown[] }> = async (collection, body, pace = new Pace()) => {
  const request = readRequest(body, 'query groups request')
  refuseFields(request, ['with_lookup'], 'query groups')
  requireFields(request, ['group_by'])
  const path = parsePath(readString(request.group_by, 'group_by'))
  const limit = readCount(request.limit, 'limit', 10, 1)
  const size = readCount(request.group_size, 'group_size', 3, 1)
  const plan = readQueryPlan({ ...request, limit: collection.size + 1, offset: 0 })
  if (plan.scoring?.kind === 'nearest' && plan.scoring.diversity) throw unsupported('mmr in query groups')
  const groups = new Map<unknown, Hit[]>()
  for (const hit of await runQuery(plan, collection, pace)) {
    if (pace.isDue()) await pace.rest()
    for (const key of new Set(valuesAt(collection.get(hit.id)?.payload, path).flatMap(asList))) {
      if (typeof key !== 'string' && typeof key !== 'bigint' && !Number.isInteger(key)) continue
      const hits = groups.get(key)
      if (hits !== undefined) hits.length < size && hits.push(hit)
      else if (groups.size < limit) groups.set(key, [hit])
    }
  }
  const print = hitPrinter(collection, request, plan.scoring !== undefined)
  return { groups: [...groups].map(([id, hits]) => ({ hits: hits.flatMap(print), id })) }
}
