import { StowageError } from '../core/errors.ts'
import { OWN_VIA } from '../http/passthrough/via.ts'
import type { QdrantAnswer, QdrantHttp } from '../qdrant/client.ts'
import { collectionPath, type SearchTarget } from '../qdrant/paths.ts'
import { headerPairs } from '../qdrant/raw-headers.ts'
import { RawJsonError } from '../qdrant/raw-json.ts'
import { NotImproved } from './failure.ts'
import { type BatchAnswer, type PointSlice, readBatchAnswer, readQueryAnswer } from './points/point-slices.ts'
import type { Prefetch } from './query/prefetch.ts'
import type { UnderstoodQuery } from './query/understand.ts'

/** What every call to Qdrant on behalf of one client request carries. */
export interface UpstreamCall {
  http: QdrantHttp
  /** The client's own: its query string (`consistency`, `timeout`) goes with every call. */
  target: SearchTarget
  /** Raw header pairs. */
  headers: string[]
  signal: AbortSignal
}

export interface SearchAnswer extends BatchAnswer {
  /** Headers of Qdrant's answer, as raw pairs. */
  headers: string[]
}

/**
 * All lists of all queries in one round trip, in the order of the prefetches; each list goes at least `pool` deep.
 * @throws NotImproved when Qdrant refuses, cannot be reached, or answers something else
 */
export async function searchLists(
  queries: readonly UnderstoodQuery[],
  pool: number,
  call: UpstreamCall,
): Promise<SearchAnswer> {
  const searches = queries.flatMap(query => query.prefetches.map(prefetch => prefetchSearch(query, prefetch, pool)))
  const body = printObject({ searches: `[${searches.join(',')}]` })
  const { text, headers } = await post('points/query/batch', body, call)
  const answer = reading(() => readBatchAnswer(text))
  if (answer.searches.length !== searches.length) throw new NotImproved('upstream_malformed', 'lists are missing')
  return { ...answer, headers }
}

/**
 * Points by a condition, as many as `limit`: those that the client could have found, for they pass the root filter and that of
 * one prefetch at least. @throws NotImproved
 */
export async function fetchPoints(
  query: UnderstoodQuery,
  condition: string,
  limit: number,
  call: UpstreamCall,
): Promise<PointSlice[]> {
  const search = printObject({
    filter: and([query.filter, anyPrefetchFilter(query.prefetches), condition]),
    ...frameOf(query, limit),
  })
  const { text } = await post('points/query', search, call)
  return reading(() => readQueryAnswer(text))
}

/** Client headers that mean something to Qdrant beyond this connection: keys, tracing, routing, the way so far. */
const FORWARDED =
  /^(?:authorization|(?:.+-)?api-key|x-request-id|x-tracing-id|traceparent|tracestate|x-qdrant-route-affinity|x-forwarded-for|user-agent|via)$/i

export function forwardedHeaders(rawHeaders: readonly string[]): string[] {
  return [...[...headerPairs(rawHeaders)].filter(([name]) => FORWARDED.test(name)).flat(), ...OWN_VIA]
}

function prefetchSearch(query: UnderstoodQuery, prefetch: Prefetch, pool: number): string {
  return printObject({
    query: prefetch.query,
    using: prefetch.using,
    filter: and([query.filter, prefetch.filter]),
    params: prefetch.params,
    score_threshold: prefetch.scoreThreshold,
    ...frameOf(query, Math.max(prefetch.limit, pool, query.offset + query.limit)),
  })
}

/** The whole payload is asked for: text and places are read from it before it is stripped to what the client selected. */
function frameOf({ withVector, shardKey }: UnderstoodQuery, limit: number): Record<string, string | null> {
  return { limit: String(limit), with_payload: 'true', with_vector: withVector, shard_key: shardKey }
}

function anyPrefetchFilter(prefetches: readonly Prefetch[]): string | null {
  const filters = new Set(prefetches.map(prefetch => prefetch.filter))
  if (filters.has(null)) return null
  return filters.size === 1 ? ([...filters][0] ?? null) : `{"should":[${[...filters].join(',')}]}`
}

function and(filters: readonly (string | null)[]): string | null {
  const present = filters.filter(filter => filter !== null)
  return present.length < 2 ? (present[0] ?? null) : `{"must":[${present.join(',')}]}`
}

/** A JSON object of raw members, those that are null left out. */
function printObject(raw: Record<string, string | null>): string {
  const present = Object.entries(raw).filter(([, value]) => value !== null)
  return `{${present.map(([key, value]) => `"${key}":${value}`).join(',')}}`
}

async function post(
  rest: string,
  body: string,
  { http, target, signal, ...call }: UpstreamCall,
): Promise<QdrantAnswer> {
  const path = collectionPath(target.collection, rest) + target.queryString
  const headers = [...call.headers, 'content-type', 'application/json', 'accept-encoding', 'identity']
  const answer = await http.readRaw({ method: 'POST', path, headers, body, signal }).catch((cause: Error) => {
    if (signal.aborted) throw new NotImproved('deadline', 'while Qdrant searched', { cause })
    throw new NotImproved('upstream_unreachable', cause.message, { cause })
  })
  if (answer.status === 200) return answer
  throw new NotImproved('upstream_refused', `status ${answer.status}: ${answer.text.slice(0, 500)}`)
}

function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RawJsonError || cause instanceof StowageError)
      throw new NotImproved('upstream_malformed', cause.message, { cause })
    throw cause
  }
}
