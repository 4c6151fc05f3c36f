import { LRUCache } from 'lru-cache'
import type { DocumentPlace, PassageStore, PendingVector, SearchRequest, StoreCall } from '../../core/ports.ts'
import type { Chunk, JsonObject, PointId, RetrievedList } from '../../core/types.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { narrowedFilter } from '../../qdrant/condition.ts'
import { type DocumentFilter, documentConditions, storedIds } from '../../qdrant/documents-filter.ts'
import { isTooLarge, notUnderstood, statusOf } from '../../qdrant/errors.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import type { PayloadMappings } from '../../qdrant/payload/mappings.ts'
import { isParent, readChunk } from '../../qdrant/payload/read-chunk.ts'
import { limitForPlaces, type PayloadPlace, placesFilter } from '../../qdrant/places-filter.ts'
import { areDistances, isDistanceMetric, readScoredPoints, type ScoredPoint } from '../../qdrant/points.ts'
import { isRefusal, Refusals } from '../../qdrant/refusals.ts'
import { retryOnce } from '../retry-once.ts'
import { atCluster } from './cluster-read.ts'
import { createProfiles, MAX_PROFILES, type Profile, type Reads } from './profile.ts'
import { readAmong } from './read-among.ts'
import { chooseFields, extendDense, readHits, type SearchBodies, searchBodies } from './search.ts'

export interface QdrantStoreOptions {
  /** The caller closes it. */
  http: QdrantHttp
  /** Called when a read is sent a second time. */
  onRetry?: () => void
  /** Called once for each collection that has no sparse vector for the keyword list of a search. */
  onDenseOnly?: (collection: string) => void
  /** Payload fields of collections that stowage has not written, by collection. */
  mappings?: PayloadMappings
}

export interface QdrantStore extends PassageStore {
  /** How points of a collection are filtered by document; null where there is no quick way. @throws StowageError */
  documentFilter(collection: string, call: StoreCall): Promise<DocumentFilter | null>
}

/** Answers after which a profile is read anew: a wrong key, a missing collection, or vectors that the collection does not have. */
const REFUSED: readonly number[] = [400, 401, 403, 404, 422]

/**
 * Searches passages in Qdrant, or in the embedded engine behind the same REST API. Errors are `StowageError`s.
 *
 * A search has up to three queries: the dense list, the keyword list, and the exact dense scores of the keyword hits. It is one
 * round trip, or two when the query is still being embedded: the keyword list does not wait for the vector. The dense list of the
 * answer contains all hits with a known dense score, from both lists, so it can be longer than the limit, and its ranks are ranks
 * in the union. A larger score is better for every metric. The first search of a collection also reads its profile.
 */
export function createQdrantStore(options: QdrantStoreOptions): QdrantStore {
  const http: Reads = {
    read: ({ cluster, ...request }) => {
      const read = request.method === 'GET' ? request : atCluster(request, cluster)
      return retryOnce(() => options.http.read(read), read.signal, options.onRetry)
    },
  }
  const profiles = createProfiles(http, options.mappings)
  const denseOnly = new LRUCache<string, true>({ max: MAX_PROFILES })
  /** Collections of which the hits of a foreign collection are too many: strict mode limits them, or the points are large. */
  const shallow = new Refusals()
  /** Collections that refuse a filter on documents: strict mode asks for another index. */
  const unfiltered = new Refusals()

  function noticeDenseOnly(collection: string): void {
    if (denseOnly.has(collection)) return
    denseOnly.set(collection, true)
    options.onDenseOnly?.(collection)
  }

  /** Searches again where a profile from before fits no search: the collection may have been made anew with other vectors. */
  async function search(asked: SearchRequest, call: StoreCall): ReturnType<PassageStore['search']> {
    if (asked.documents !== undefined) return searchDocuments(asked, asked.documents, call)
    const isKnown = profiles.has(asked.collection, call)
    const found = await searchOnce(asked, call)
    const isAsked = asked.dense !== null || asked.sparse !== null
    if (!isAsked || found.lists.length > 0) return found
    // Such a search is refused. The next one sees the collection as it is then.
    profiles.forget(asked.collection, call)
    return isKnown ? searchOnce(asked, call) : found
  }

  /** Asks a foreign collection for its number of hits, or for that of others where Qdrant refuses so many or they are too large to read. */
  async function searchOnce(asked: SearchRequest, call: StoreCall): ReturnType<PassageStore['search']> {
    const profile = await profiles.get(asked.collection, call)
    const isDeep = profile.isForeign && !shallow.has(asked.collection)
    const limit = isDeep ? (asked.foreignLimit ?? asked.limit) : asked.limit
    try {
      return await searchLists({ ...asked, limit }, profile, call)
    } catch (error) {
      if (limit === asked.limit || !(isTooLarge(error) || isRefusal(statusOf(error)))) throw error
      const found = await searchLists(asked, profile, call)
      shallow.add(asked.collection)
      return found
    }
  }

  async function searchDocuments(
    asked: SearchRequest,
    documents: readonly string[],
    call: StoreCall,
  ): ReturnType<PassageStore['search']> {
    const profile = await profiles.get(asked.collection, call)
    const { documentFilter } = profile
    if (documentFilter === null || unfiltered.has(asked.collection)) return { lists: [], missing: [] }
    const should = documentConditions(documentFilter, documents)
    if (should.length === 0) return { lists: [], missing: [] }
    try {
      return await searchLists({ ...asked, filter: narrowedFilter({ should }, asked.filter) }, profile, call)
    } catch (error) {
      if (isRefusal(statusOf(error))) unfiltered.add(asked.collection)
      throw error
    }
  }

  async function searchLists(
    asked: SearchRequest,
    profile: Profile,
    call: StoreCall,
  ): ReturnType<PassageStore['search']> {
    const request = { ...asked, filter: narrowedFilter(call.condition, asked.filter) }
    const { fields, missing, isUnsearched } = chooseFields(request, profile)
    if (request.sparse !== null && fields.dense !== null && fields.sparse === null) noticeDenseOnly(request.collection)
    const send = (bodies: Partial<SearchBodies>) => runSearches(http, request.collection, bodies, call)
    const answers =
      isPending(request.dense) && fields.dense !== null
        ? await searchInTurn(request.dense.vector, vector => searchBodies(request, fields, vector), send)
        : await send(searchBodies(request, fields, isPending(request.dense) ? null : request.dense))

    const reading = { mapping: options.mappings?.[request.collection], denseName: fields.dense?.name }
    const metric = fields.dense?.distance
    const expected = isDistanceMetric(metric ?? '')
    const ofDistance = areDistances(answers.dense ?? [], expected)
    // The collection was made anew with another metric.
    if (ofDistance !== expected) profiles.forget(request.collection, call)
    const keyword = readHits(answers.keyword ?? [], request.collection, reading)
    const lists: RetrievedList[] = []
    if (answers.dense) {
      const dense = readHits(answers.dense, request.collection, { ...reading, isDistance: ofDistance })
      const rescored = (answers.rescored ?? []).map(({ id, score }) => [id, ofDistance ? -score : score] as const)
      const hits = extendDense(dense, keyword, new Map(rescored))
      lists.push({ source: 'dense', kind: 'dense', metric: ofDistance === expected ? metric : undefined, hits })
    }
    if (answers.keyword) lists.push({ source: 'keyword', kind: 'keyword', hits: keyword })
    return {
      lists,
      missing: answers.refused === null ? missing : [...missing, answers.refused],
      isUnsearched,
      isForeign: profile.isForeign,
    }
  }

  async function fetchPlaces(
    collection: string,
    places: DocumentPlace[],
    filter: JsonObject | null,
    call: StoreCall,
  ): ReturnType<PassageStore['fetchPlaces']> {
    if (places.length === 0) return []
    const among = placesFilter(payloadPlaces(places, await profiles.get(collection, call)))
    if (among === null) return []
    const limit = limitForPlaces(places.length)
    return chunksOf(await readAmong(http, { collection, among, limit, filter }, call), collection)
  }

  async function fetchParents(
    collection: string,
    ids: PointId[],
    filter: JsonObject | null,
    call: StoreCall,
  ): ReturnType<PassageStore['fetchParents']> {
    if (ids.length === 0) return []
    const points = await readAmong(http, { collection, among: { has_id: ids }, limit: ids.length, filter }, call)
    // Checked here, because a filter on `is_parent` needs an index in strict mode.
    const parents = points.filter(({ payload }) => isParent(payload))
    return chunksOf(parents, collection)
  }

  function chunksOf(points: readonly ScoredPoint[], collection: string): Chunk[] {
    return points.map(point => readChunk(point, collection, options.mappings?.[collection]))
  }

  /** A refusal drops the cached profile, because the collection may have been created again with other vectors. */
  async function forgetWhenRefused<T>(collection: string, call: StoreCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (REFUSED.includes(statusOf(error) ?? 0)) profiles.forget(collection, call)
      throw error
    }
  }

  return {
    documentFilter: async (collection, call) => (await profiles.get(collection, call)).documentFilter,
    search: (request, call) => forgetWhenRefused(request.collection, call, () => search(request, call)),
    fetchPlaces: (collection, places, filter, call) =>
      forgetWhenRefused(collection, call, () => fetchPlaces(collection, places, filter, call)),
    fetchParents: (collection, ids, filter, call) =>
      forgetWhenRefused(collection, call, () => fetchParents(collection, ids, filter, call)),
  }
}

/** The points of each search; null for a search that was not sent. */
interface SearchAnswers {
  dense: ScoredPoint[] | null
  keyword: ScoredPoint[] | null
  rescored: ScoredPoint[] | null
  /** Why the exact dense scores are missing, when the server refused the batch. */
  refused: string | null
}

function isPending(dense: SearchRequest['dense']): dense is PendingVector {
  return dense !== null && 'vector' in dense
}

/** Searches the keyword list at once, and the dense list as soon as its vector is there. */
async function searchInTurn(
  vector: PendingVector['vector'],
  bodiesFor: (vector: Float32Array | null) => SearchBodies,
  send: (bodies: Partial<SearchBodies>) => Promise<SearchAnswers>,
): Promise<SearchAnswers> {
  const { keyword } = bodiesFor(null)
  const [first, second] = await Promise.all([
    send({ keyword }),
    vector.then(known => send({ ...bodiesFor(known), keyword: null })),
  ])
  return { ...second, keyword: first.keyword }
}

/** Sends all searches in one batch. If the server refuses it (e.g. strict mode), sends the two lists separately. */
async function runSearches(
  http: Reads,
  collection: string,
  bodies: Partial<SearchBodies>,
  call: StoreCall,
): Promise<SearchAnswers> {
  const query = (path: string, body: object): Promise<unknown> =>
    http.read({ ...call, method: 'POST', path: collectionPath(collection, path), body })
  const names = (['dense', 'keyword', 'rescored'] as const).filter(name => bodies[name])
  const answers: SearchAnswers = { dense: null, keyword: null, rescored: null, refused: null }
  if (names.length === 0) return answers
  try {
    const results = await query('points/query/batch', { searches: names.map(name => bodies[name]) })
    if (!Array.isArray(results) || results.length !== names.length) throw notUnderstood('lists are missing')
    names.forEach((name, index) => {
      answers[name] = readScoredPoints(results[index])
    })
    return answers
  } catch (error) {
    if (![400, 403, 404, 405, 422, 501].includes(statusOf(error) ?? 0)) throw error
    const single = async (body: object | null | undefined) =>
      body ? readScoredPoints(await query('points/query', body)) : null
    const [dense, keyword] = await Promise.all([single(bodies.dense), single(bodies.keyword)])
    const refused = bodies.rescored ? `exact dense scores of keyword hits: ${(error as Error).message}` : null
    return { dense, keyword, rescored: null, refused }
  }
}

/** The places as values of payload fields; empty if the collection has no such fields. */
function payloadPlaces(places: readonly DocumentPlace[], { documentField, orderField }: Profile): PayloadPlace[] {
  if (documentField === null || orderField === null) return []
  return places.flatMap(({ docId, orderIndex }) =>
    storedIds(docId).map(document => ({ documentField, document, orderField, orderIndex })),
  )
}
