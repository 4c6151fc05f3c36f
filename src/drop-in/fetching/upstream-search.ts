import { StowageError } from '../../core/errors.ts'
import { type Steps, TimeUp } from '../../core/steps.ts'
import { headersOfOwnRead } from '../../http/passthrough/own-reads.ts'
import { type Pace, RANKING_GRACE_MS } from '../../pipeline/pacing/pace.ts'
import type { QdrantAnswer, QdrantHttp } from '../../qdrant/client.ts'
import { isTooLarge } from '../../qdrant/errors.ts'
import type { SearchTarget } from '../../qdrant/paths.ts'
import { printMembers, RawJsonError } from '../../qdrant/raw-json.ts'
import { rankedDepth } from '../depth.ts'
import { NotImproved } from '../not-improved.ts'
import { type ChunkOf, type PointSlice, readBatchAnswer, readQueryAnswer } from '../points/point-slices.ts'
import type { Prefetch } from '../query/prefetch.ts'
import type { UnderstoodQuery } from '../query/understand.ts'

/** The parts that all calls to Qdrant for one client request share. */
export interface UpstreamCall {
  http: Pick<QdrantHttp, 'readRaw'>
  /** The client's own target. Its query string (`consistency`, `timeout`) is sent with every call. */
  target: SearchTarget
  /** Raw header pairs of the client's request that may go to Qdrant. */
  headers: readonly string[]
  /** Reads the payloads of the collection. */
  chunkOf: ChunkOf
  /** The pace at which answers are read: they can hold a thousand long texts. */
  pace: Pace
  signal: AbortSignal
}

export interface SearchAnswer {
  /** The lists of each query, one per prefetch. */
  lists: PointSlice[][][]
  /** Raw `usage`, which only some servers report. */
  usage: string | null
  /** Raw header pairs of Qdrant's answer. */
  headers: string[]
}

/**
 * Searches all lists of all queries in one round trip.
 * @param depths for each query, the least number of hits asked of each list
 * @param onAnswer called when Qdrant has answered, before the answer is read
 * @throws NotImproved when Qdrant refuses, cannot be reached, or answers in an unexpected shape
 */
export async function searchLists(
  queries: readonly UnderstoodQuery[],
  depths: readonly number[],
  call: UpstreamCall,
  onAnswer: () => void,
): Promise<SearchAnswer> {
  const searches = queries.flatMap((query, at) =>
    query.prefetches.map(prefetch => prefetchSearch(query, prefetch, depths[at] ?? 0)),
  )
  const body = printObject({ searches: `[${searches.join(',')}]` })
  const { text, headers } = await post('points/query/batch', body, call)
  onAnswer()
  const { lists, usage } = await reading(readBatchAnswer(text, call.chunkOf), call)
  if (lists.length !== searches.length) throw new NotImproved('upstream_malformed', 'lists are missing')
  return { lists: queries.map(({ prefetches }) => lists.splice(0, prefetches.length)), usage, headers }
}

/** `fetchPoints` for one client request. */
export type FetchPoints = (query: UnderstoodQuery, condition: string, limit: number) => Promise<PointSlice[]>

/**
 * Fetches at most `limit` points that match a condition. They also pass the root filter and the filter of at least one prefetch,
 * so the client could have found them itself. @throws NotImproved
 */
export async function fetchPoints(
  query: UnderstoodQuery,
  condition: string,
  limit: number,
  call: UpstreamCall,
): Promise<PointSlice[]> {
  const search = printObject({
    filter: and([query.filter, anyPrefetchFilter(query.prefetches), condition]),
    ...sharedFields(query, limit),
  })
  const { text } = await post('points/query', search, call)
  return reading(readQueryAnswer(text, call.chunkOf), call)
}

function prefetchSearch(query: UnderstoodQuery, prefetch: Prefetch, least: number): string {
  const ranked = rankedDepth(prefetch, least)
  // A fusion has no points but those of its lists. A later page of a single search goes on below what is ranked.
  const depth = query.fusion === null ? Math.max(ranked, query.offset + query.limit) : ranked
  return printObject({
    query: prefetch.query,
    using: prefetch.using,
    filter: and([query.filter, prefetch.filter]),
    params: prefetch.params,
    score_threshold: prefetch.scoreThreshold,
    ...sharedFields(query, depth),
  })
}

/** The whole payload is fetched, because text and places are read from it. Fields the client did not select are removed later. */
function sharedFields({ withVector, shardKey }: UnderstoodQuery, limit: number): Record<string, string | null> {
  return { limit: String(limit), with_payload: 'true', with_vector: withVector, shard_key: shardKey }
}

function anyPrefetchFilter(prefetches: readonly Prefetch[]): string | null {
  const filters = [...new Set(prefetches.map(({ filter }) => filter))]
  if (filters.includes(null)) return null
  return filters.length === 1 ? (filters[0] ?? null) : `{"should":[${filters.join(',')}]}`
}

/** A raw filter for what all of these match; null when there are none. */
export function and(filters: readonly (string | null)[]): string | null {
  const present = filters.filter(filter => filter !== null)
  return present.length < 2 ? (present[0] ?? null) : `{"must":[${present.join(',')}]}`
}

/** Prints a JSON object of raw members without those that are null. */
function printObject(raw: Record<string, string | null>): string {
  return printMembers(Object.entries(raw).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])))
}

async function post(
  rest: string,
  body: string,
  { http, target, signal, headers: ofClient }: UpstreamCall,
): Promise<QdrantAnswer> {
  // The name goes on as the client spelt it: decoding `%2e%2e` and sending `..` would ask for another path.
  const path = `/collections/${target.segment}/${rest}${target.queryString}`
  const headers = headersOfOwnRead(ofClient, body)
  const answer = await http.readRaw({ method: 'POST', path, headers, body, signal }).catch((cause: Error) => {
    if (signal.aborted) throw new NotImproved('deadline', 'while Qdrant searched', { cause })
    throw new NotImproved(isTooLarge(cause) ? 'upstream_too_large' : 'upstream_unreachable', cause.message, { cause })
  })
  if (answer.status === 200) return answer
  const { status } = answer
  throw new NotImproved('upstream_refused', `status ${status}: ${answer.text.slice(0, 500)}`, { status })
}

async function reading<Answer>(steps: Steps<Answer>, { pace }: UpstreamCall): Promise<Answer> {
  try {
    return await pace.run(steps, RANKING_GRACE_MS)
  } catch (cause) {
    if (cause instanceof TimeUp) throw new NotImproved('deadline', "while Qdrant's answer was read", { cause })
    if (cause instanceof RawJsonError || cause instanceof StowageError)
      throw new NotImproved('upstream_malformed', cause.message, { cause })
    throw cause
  }
}
