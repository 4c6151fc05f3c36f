import { formatError, refuseFields, unsupported } from '../errors.ts'
import { parsePath, valuesAt } from '../filter/payload-path.ts'
import { Pace } from '../pace.ts'
import { readQueryPlan } from '../query/plan.ts'
import { type Hit, runQuery } from '../query/run.ts'
import type { Collection } from '../storage/collection.ts'
import { asList, isRecord, readCount, readRequest, readString } from '../wire/shape.ts'
import { hitPrinter, printEach } from './print.ts'

/** Searches of one collection. Each takes a request body and returns the `result` of the answer. */

export async function queryPoints(
  collection: Collection,
  body: unknown,
  pace = new Pace(),
): Promise<{ points: unknown[] }> {
  const request = readRequest(body, 'query request')
  const plan = readQueryPlan(request)
  const print = hitPrinter(collection, request, plan.scoring !== undefined)
  const hits = await runQuery(plan, collection, pace)
  return { points: await printEach(hits, print, pace) }
}

/** The older `/points/search`: `vector` is an array or `{name, vector}`, and the answer is a list. */
export async function searchPoints(collection: Collection, body: unknown, pace = new Pace()): Promise<unknown[]> {
  const { vector, ...request } = readRequest(body, 'search request')
  const named = isRecord(vector) && 'name' in vector ? vector : { name: '', vector }
  if (request.limit === undefined) throw formatError('missing field `limit`')
  const query = { ...request, prefetch: undefined, using: named.name, query: named.vector }
  return (await queryPoints(collection, query, pace)).points
}

/** Hits grouped by a payload field. Groups are in the order of their best hit. */
export async function queryGroups(
  collection: Collection,
  body: unknown,
  pace = new Pace(),
): Promise<{ groups: unknown[] }> {
  const request = readRequest(body, 'query groups request')
  refuseFields(request, ['with_lookup'], 'query groups')
  const path = parsePath(readString(request.group_by, 'group_by'))
  const limit = readCount(request.limit, 'limit', 10, 1)
  const size = readCount(request.group_size, 'group_size', 3, 1)
  const plan = readQueryPlan({ ...request, limit: collection.size + 1, offset: 0 })
  if (plan.scoring?.kind === 'nearest' && plan.scoring.diversity) throw unsupported('mmr in query groups')
  const groups = new Map<unknown, Hit[]>()
  for (const hit of await runQuery(plan, collection, pace)) {
    if (pace.isDue()) await pace.rest()
    for (const key of new Set(valuesAt(collection.get(hit.id)?.payload, path).flatMap(asList))) {
      if (typeof key !== 'string' && !Number.isInteger(key)) continue
      const hits = groups.get(key)
      if (hits !== undefined) hits.length < size && hits.push(hit)
      else if (groups.size < limit) groups.set(key, [hit])
    }
  }
  const print = hitPrinter(collection, request, plan.scoring !== undefined)
  return { groups: [...groups].map(([id, hits]) => ({ hits: hits.map(print), id })) }
}
