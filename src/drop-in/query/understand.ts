import { DEFAULT_RRF_K, type FusionRule } from '../../qdrant/fusion.ts'
import type { SearchRoute } from '../../qdrant/paths.ts'
import { DEFAULT_QUERY_LIMIT } from '../../qdrant/points.ts'
import { elements, kindOf, present, RawJsonError } from '../../qdrant/raw-json.ts'
import { NotImproved } from '../not-improved.ts'
import {
  knownMembers,
  notUnderstood,
  onlyKeys,
  type RawObject,
  readerOf,
  readInteger,
  readRaw,
  required,
} from './fields.ts'
import { type PayloadSelector, readPayloadSelector } from './payload-selector.ts'
import { LARGEST_LIMIT, type Prefetch, readFilter, readLegacySearchVector, readPrefetch } from './prefetch.ts'

const MOST_LISTS = 16

/** A search that stowage understands completely. Strings are raw JSON. */
export interface UnderstoodQuery {
  /** The prefetches of a fusion, or one search. Each gives one ranked list. */
  prefetches: Prefetch[]
  /** Null for a single search. */
  fusion: FusionRule | null
  /** The root filter, which applies to every prefetch; null when there is none. */
  filter: string | null
  scoreThreshold: string | null
  limit: number
  offset: number
  payload: PayloadSelector
  withVector: string | null
  shardKey: string | null
}

/**
 * Parses the searches that can be improved without changing their meaning: hybrid queries with RRF or DBSF fusion, single dense
 * or sparse queries, and their legacy forms.
 * @throws NotImproved `query_not_understood` on any other search of the request, on unknown keys and on duplicate keys
 */
export function understand(body: string, route: SearchRoute): UnderstoodQuery[] {
  try {
    const read = route.api === 'query' ? readQuery : readLegacySearch
    if (!route.batch) return [read(body)]
    const searches = readBatch(body).map(read)
    const lists = searches.reduce((sum, search) => sum + search.prefetches.length, 0)
    return lists >= 1 && lists <= MOST_LISTS ? searches : notUnderstood(`a batch of ${lists} lists`)
  } catch (error) {
    if (error instanceof RawJsonError) throw new NotImproved('query_not_understood', error.message)
    throw error
  }
}

/** The raw searches of a batch. One search too many ends the reading, because a batch of hundreds has megabytes of vectors. */
function readBatch(body: string): string[] {
  const searches: string[] = []
  const reader = readerOf(body)
  for (const key of reader.members()) {
    onlyKeys([key], ['searches'])
    for (const _ of reader.elements()) {
      if (searches.length === MOST_LISTS) return notUnderstood(`a batch of more than ${MOST_LISTS} searches`)
      searches.push(reader.take())
    }
  }
  reader.end()
  return searches
}

const PREFETCH_KEYS = ['query', 'using', 'filter', 'params', 'score_threshold', 'limit', 'prefetch', 'lookup_from']
const FRAME_KEYS = ['offset', 'with_payload', 'with_vector', 'with_vectors', 'shard_key']

function readQuery(raw: string): UnderstoodQuery {
  const root = knownMembers(raw, [...PREFETCH_KEYS, ...FRAME_KEYS])
  const prefetches = readPrefetches(root)
  if (prefetches.length === 0)
    return { ...readFrame(root), prefetches: [{ ...readPrefetch(root), filter: null }], fusion: null }
  if (present(root, 'using') !== null) return notUnderstood('using together with a fusion')
  return { ...readFrame(root), prefetches, fusion: readFusion(required(root, 'query'), prefetches.length) }
}

function readLegacySearch(raw: string): UnderstoodQuery {
  const root = knownMembers(raw, ['vector', 'filter', 'params', 'score_threshold', 'limit', ...FRAME_KEYS])
  required(root, 'limit')
  return { ...readFrame(root), prefetches: [{ ...readLegacySearchVector(root), filter: null }], fusion: null }
}

function readPrefetches(root: RawObject): Prefetch[] {
  if (present(root, 'lookup_from') !== null) return notUnderstood('lookup_from')
  const raw = present(root, 'prefetch')
  if (raw === null) return []
  const prefetches = kindOf(raw) === 'array' ? elements(raw, MOST_LISTS) : [raw]
  return prefetches.map(one => {
    const prefetch = knownMembers(one, PREFETCH_KEYS)
    for (const key of ['prefetch', 'lookup_from'])
      if (present(prefetch, key) !== null) return notUnderstood(`nested ${key}`)
    return readPrefetch(prefetch)
  })
}

function readFusion(raw: string, lists: number): FusionRule {
  if (kindOf(raw) !== 'object') return notUnderstood('prefetches that are rescored')
  const query = knownMembers(raw, ['fusion', 'rrf'])
  if (query.size !== 1) return notUnderstood('more than one fusion')
  const fusion = query.get('fusion')
  if (fusion !== undefined) {
    if (fusion === '"rrf"') return { method: 'rrf', k: DEFAULT_RRF_K, weights: null }
    return fusion === '"dbsf"' ? { method: 'dbsf' } : notUnderstood(`fusion ${fusion}`)
  }
  const rrf = knownMembers(required(query, 'rrf'), ['k', 'weights'])
  const weights = present(rrf, 'weights')
  const numbers = weights === null ? null : elements(weights, MOST_LISTS).map(readWeight)
  if (numbers !== null && numbers.length !== lists) return notUnderstood('weights do not match the prefetches')
  return { method: 'rrf', k: readInteger(rrf, 'k', 1, 1_000_000) ?? DEFAULT_RRF_K, weights: numbers }
}

function readWeight(raw: string): number {
  const weight = kindOf(raw) === 'number' ? Number(raw) : Number.NaN
  return Number.isFinite(weight) ? weight : notUnderstood('a weight is not a finite number')
}

function readFrame(root: RawObject): Omit<UnderstoodQuery, 'prefetches' | 'fusion'> {
  const limit = readInteger(root, 'limit', 1, LARGEST_LIMIT) ?? DEFAULT_QUERY_LIMIT
  return {
    filter: readFilter(root),
    scoreThreshold: readRaw(root, 'score_threshold', 'number'),
    limit,
    offset: readInteger(root, 'offset', 0, LARGEST_LIMIT - limit) ?? 0,
    payload: readPayloadSelector(present(root, 'with_payload')),
    withVector: readWithVector(root),
    shardKey: present(root, 'shard_key'),
  }
}

function readWithVector(root: RawObject): string | null {
  if (root.has('with_vector') && root.has('with_vectors')) return notUnderstood('with_vector twice')
  const raw = present(root, 'with_vector') ?? present(root, 'with_vectors')
  if (raw === null || kindOf(raw) === 'boolean') return raw
  const names = elements(raw).every(name => kindOf(name) === 'string')
  return names ? raw : notUnderstood('with_vector names no vectors')
}
