import { isDeepStrictEqual } from 'node:util'
import { CONDITION } from './world.ts'

type Body = Record<string, unknown>

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)
const asList = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
const isId = (value: unknown) => ['number', 'string', 'bigint'].includes(typeof value)

/**
 * Whether every filter position of a request to points holds the condition of acme, and every new point its tenant field, by a walk that knows
 * nothing of the guard.
 */
export function isCovered(body: unknown): boolean {
  if (!isObject(body)) return false
  if (Array.isArray(body.searches)) return body.searches.every(isCovered)
  if (Array.isArray(body.operations))
    return body.operations.every(one => isObject(one) && Object.values(one).every(isCovered))
  if (isObject(body.batch)) return isForced(body.update_filter) && asList(body.batch.payloads).every(isStamped)
  if (Array.isArray(body.points)) {
    const payloads = body.points.flatMap(point => (isObject(point) && 'payload' in point ? [point.payload] : []))
    return isForced(body.update_filter) && payloads.every(isStamped)
  }
  const corpus = isObject(body.params) && isObject(body.params.idf) ? [body.params.idf.corpus] : []
  return (
    [body.filter, ...corpus].every(isForced) &&
    asList(body.prefetch).every(isCovered) &&
    (body.with_lookup ?? null) === null
  )
}

const isStamped = (payload: unknown) => isObject(payload) && payload.tenant === CONDITION.match.value

/** Filters in `must` may be nested. */
function isForced(filter: unknown): boolean {
  if (isDeepStrictEqual(filter, CONDITION)) return true
  return isObject(filter) && asList(filter.must).some(isForced)
}

/** Names of collections and aliases anywhere in a body. */
export function namesIn(body: unknown): unknown[] {
  if (Array.isArray(body)) return body.flatMap(namesIn)
  if (!isObject(body)) return []
  return Object.entries(body).flatMap(([key, value]) =>
    /collection|alias_name|with_lookup|location/.test(key) && !isObject(value) ? [value] : namesIn(value),
  )
}

/** The ids whose vectors a request uses, with the collection they are looked up in. */
export function usedIds(body: unknown, collection: string): { collection: string; id: unknown }[] {
  if (!isObject(body)) return []
  const from = isObject(body.lookup_from) ? String(body.lookup_from.collection) : collection
  const { query } = body
  const inner = isObject(query) ? query : {}
  const variants = [inner.recommend, inner.discover, inner.relevance_feedback, inner, body].filter(isObject)
  const contexts = [body.context, inner.context, ...variants.map(variant => variant.context)]
    .flatMap(asList)
    .filter(isObject)
  const examples = [
    ...(isId(query) ? [query] : []),
    ...variants.flatMap(variant => [
      ...[variant.nearest, variant.target].filter(isId),
      ...[variant.positive, variant.negative].flatMap(asList),
      ...asList(variant.feedback).flatMap(item => (isObject(item) ? [item.example] : [])),
    ]),
    ...contexts.flatMap(pair => [pair.positive, pair.negative]),
  ]
  return [
    ...examples.filter(isId).map(id => ({ collection: from, id })),
    ...[...asList(body.searches), ...asList(body.prefetch)].flatMap(search => usedIds(search, collection)),
  ]
}
