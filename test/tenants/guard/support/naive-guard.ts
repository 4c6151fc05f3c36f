import { isLosslessNumber, type LosslessNumber } from 'lossless-json'
import { isObject, type Json } from './bodies.ts'

/** The same rules on parsed values, as simply as they can be said. */

export const CONDITION: Json = { key: 'tenant', match: { value: 'acme' } }

export function restricted(filter: Json | undefined): Json {
  const isAll = filter === undefined || filter === null || (isObject(filter) && Object.keys(filter).length === 0)
  return { must: isAll ? [CONDITION] : [CONDITION, filter] }
}

/**
 * A body of any read, with the condition in every place where Qdrant reads a filter. It knows no operations: a filter stands in
 * the root, or in each of `searches`, in each object below `prefetch`, and as `corpus` of `idf`.
 */
export function naivelyGuarded(body: Json): Json {
  return isObject(body) && Array.isArray(body.searches)
    ? { ...body, searches: body.searches.map(guardedSearch) }
    : guardedSearch(body)
}

function guardedSearch(search: Json): Json {
  if (!isObject(search)) return search
  const members = Object.entries(search).map(([key, value]): [string, Json] => {
    if (key === 'prefetch') return [key, Array.isArray(value) ? value.map(guardedSearch) : guardedSearch(value)]
    return [key, key === 'params' ? guardedCorpus(value) : value]
  })
  return { ...Object.fromEntries(members), filter: restricted(search.filter) }
}

function guardedCorpus(parameters: Json): Json {
  if (!isObject(parameters) || !isObject(parameters.idf) || parameters.idf.corpus === undefined) return parameters
  return { ...parameters, idf: { corpus: restricted(parameters.idf.corpus) } }
}

/** A write as one operation of `points/batch`. */
export function naivelyGuardedWrite(operation: string, body: Json): Json {
  if (!isObject(body)) return body
  const { points, filter, ...rest } = body
  switch (operation) {
    case 'upsert':
      return {
        ...(body.points
          ? { ...rest, points: (points as Json[]).map(stampedPoint) }
          : { ...body, batch: stampedColumns(body.batch) }),
        update_filter: restricted(body.update_filter),
      }
    case 'update_vectors':
      return { ...body, update_filter: restricted(body.update_filter) }
    case 'overwrite_payload':
      return { ...rest, payload: { ...(body.payload as object), tenant: 'acme' }, filter: selected(points, filter) }
    case 'clear_payload':
      return { ...rest, payload: { tenant: 'acme' }, filter: selected(points, filter) }
    default:
      return { ...rest, filter: selected(points, filter) }
  }
}

function stampedPoint(point: Json): Json {
  return isObject(point) ? { ...point, payload: { ...(point.payload as object | null), tenant: 'acme' } } : point
}

function stampedColumns(batch: Json | undefined): Json {
  if (!isObject(batch)) return null
  const payloads = (batch.payloads ?? (batch.ids as Json[]).map(() => null)) as (object | null)[]
  return { ...batch, payloads: payloads.map(payload => ({ ...payload, tenant: 'acme' })) }
}

function selected(points: Json | undefined, filter: Json | undefined): Json {
  if (Array.isArray(points)) return { must: [CONDITION, { has_id: points }] }
  return restricted(filter)
}

/** All whole numbers of a range in a value, each once. */
export function numbersIn(value: Json, [least, most]: readonly [number, number]): number[] {
  if (isLosslessNumber(value)) {
    const number = Number((value as LosslessNumber).value)
    return Number.isInteger(number) && number >= least && number <= most ? [number] : []
  }
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return [...new Set(parts.flatMap(part => numbersIn(part, [least, most])))]
}
