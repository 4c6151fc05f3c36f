import type { DocumentPlace, PassageStore, SearchRequest, StoreCall } from '../../core/ports.ts'
import type { JsonObject, RetrievedHit, RetrievedList } from '../../core/types.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { notUnderstood, statusOf } from '../../qdrant/errors.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { type PayloadMapping, readChunk } from '../../qdrant/payload.ts'
import { type PayloadPlace, placesFilter } from '../../qdrant/places-filter.ts'
import { isDistanceMetric, readScoredPoints, type ScoredPoint } from '../../qdrant/points.ts'
import { chooseDense, chooseSparse } from './layout.ts'
import { createProfiles, type Profile } from './profile.ts'
import { extendDense, readHits, type SearchBodies, type SearchFields, searchBodies } from './search.ts'

export interface QdrantStoreOptions {
  /** The caller closes it. */
  http: QdrantHttp
  /** The embedder of the queries. Its vectors do not search collections that another embedder has written. */
  embedder?: { version: string; dimensions: number } | null
  /** Payload fields of collections that stowage has not written, by collection. */
  mappings?: Readonly<Record<string, PayloadMapping>>
}

/**
 * Searches passages in Qdrant, or in the embedded engine behind the same REST API. Errors are `StowageError`s.
 *
 * A search is one round trip with up to three queries: the dense list, the keyword list, and the exact dense scores of the
 * keyword hits. The dense list of the answer contains all hits with a known dense score, from both lists, so it can be longer
 * than the limit, and its ranks are ranks in the union. A larger score is better for every metric. The first search of a
 * collection also reads its profile.
 */
export function createQdrantStore(options: QdrantStoreOptions): PassageStore {
  const { http } = options
  const profiles = createProfiles(http, options.mappings)

  async function search(request: SearchRequest, call: StoreCall): ReturnType<PassageStore['search']> {
    const profile = await profiles.get(request.collection, call)
    const { fields, missing } = chooseFields(request, profile, options.embedder ?? null)
    const bodies = searchBodies(request, fields)
    const answers = await runSearches(http, request.collection, bodies, call)

    const reading = { mapping: options.mappings?.[request.collection], denseName: fields.dense?.name }
    const ofDistance = isDistanceMetric(fields.dense?.distance ?? '')
    const keyword = readHits(answers.keyword, request.collection, reading)
    const dense = readHits(answers.dense, request.collection, { ...reading, isDistance: ofDistance })
    const rescored = answers.rescored.map(point => [point.id, ofDistance ? -point.score : point.score] as const)

    const lists: RetrievedList[] = []
    if (bodies.dense) lists.push(list('dense', extendDense(dense, keyword, new Map(rescored))))
    if (bodies.keyword) lists.push(list('keyword', keyword))
    return { lists, missing: answers.refused === null ? missing : [...missing, answers.refused] }
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
    const result = await http.read({
      ...call,
      method: 'POST',
      path: collectionPath(collection, 'points/query'),
      body: {
        filter: { must: filter === null ? [among] : [filter, among] },
        limit: places.length,
        with_payload: true,
      },
    })
    return readScoredPoints(result).map(point => readChunk(point, collection, options.mappings?.[collection]))
  }

  /** A failure drops the cached profile, because the collection may have been created again with other vectors. */
  async function forgetOnFailure<T>(collection: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      profiles.forget(collection)
      throw error
    }
  }

  return {
    search: (request, call) => forgetOnFailure(request.collection, () => search(request, call)),
    fetchPlaces: (collection, places, filter, call) =>
      forgetOnFailure(collection, () => fetchPlaces(collection, places, filter, call)),
  }
}

function list(source: 'dense' | 'keyword', hits: RetrievedHit[]): RetrievedList {
  return { source, kind: source, hits }
}

function chooseFields(
  request: SearchRequest,
  profile: Profile,
  embedder: { version: string; dimensions: number } | null,
): { fields: SearchFields; missing: string[] } {
  const fields: SearchFields = { dense: null, sparse: null }
  const missing: string[] = []
  const { layout, embedderVersion } = profile
  if (request.dense) {
    const { length } = request.dense
    fields.dense = chooseDense(layout, length)
    if (fields.dense === null) {
      const sizes = layout.dense.map(field => field.size).join(', ')
      missing.push(
        `dense: the query has ${length} dimensions, the collection ${sizes ? `has ${sizes}` : 'no dense vectors'}`,
      )
    } else if (embedder && embedder.dimensions === length && embedderVersion && embedderVersion !== embedder.version) {
      fields.dense = null
      missing.push(`dense: the collection was embedded by ${embedderVersion}, queries are by ${embedder.version}`)
    }
  }
  if (request.sparse) {
    fields.sparse = chooseSparse(layout)
    if (fields.sparse === null) missing.push('keyword: the collection has no sparse vectors with modifier idf')
  }
  return { fields, missing }
}

/** The points of each search; empty for a search that was not sent. */
interface SearchAnswers {
  dense: ScoredPoint[]
  keyword: ScoredPoint[]
  rescored: ScoredPoint[]
  /** Why the exact dense scores are missing, when the server refused the batch. */
  refused: string | null
}

/** Sends all searches in one batch. If the server refuses it (e.g. strict mode), sends the two lists separately. */
async function runSearches(
  http: QdrantHttp,
  collection: string,
  bodies: SearchBodies,
  call: StoreCall,
): Promise<SearchAnswers> {
  const query = (path: string, body: object): Promise<unknown> =>
    http.read({ ...call, method: 'POST', path: collectionPath(collection, path), body })
  const names = (['dense', 'keyword', 'rescored'] as const).filter(name => bodies[name] !== null)
  const answers: SearchAnswers = { dense: [], keyword: [], rescored: [], refused: null }
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
    const single = async (body: object | null) =>
      body === null ? [] : readScoredPoints(await query('points/query', body))
    const [dense, keyword] = await Promise.all([single(bodies.dense), single(bodies.keyword)])
    const refused = bodies.rescored ? `exact dense scores of keyword hits: ${(error as Error).message}` : null
    return { dense, keyword, rescored: [], refused }
  }
}

/** The places as values of payload fields; empty if the collection has no such fields. */
function payloadPlaces(places: readonly DocumentPlace[], { documentField, orderField }: Profile): PayloadPlace[] {
  if (documentField === null || orderField === null) return []
  return places.flatMap(({ docId, orderIndex }) =>
    storedIds(docId).map(document => ({ documentField, document, orderField, orderIndex })),
  )
}

/** A document id is a string here, but may be an integer in the payload, which does not match a string. */
function storedIds(docId: string): (string | number)[] {
  return /^(0|-?[1-9]\d{0,14})$/.test(docId) ? [docId, Number(docId)] : [docId]
}
