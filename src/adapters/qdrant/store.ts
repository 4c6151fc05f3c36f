import type { DocumentPlace, PassageStore, SearchRequest, StoreCall } from '../../core/ports.ts'
import type { JsonObject, RetrievedHit, RetrievedList } from '../../core/types.ts'
import { createQdrantHttp, type QdrantHttp } from '../../qdrant/client.ts'
import { statusOf } from '../../qdrant/errors.ts'
import { type PayloadMapping, readChunk } from '../../qdrant/payload.ts'
import { chooseDense, chooseSparse } from './layout.ts'
import { createProfiles, type Profile } from './profile.ts'
import {
  extendDense,
  isDistance,
  readHits,
  readPoints,
  type SearchBodies,
  type SearchFields,
  searchBodies,
} from './search.ts'

export interface QdrantStoreOptions {
  url: string
  /** Sent by calls that bring no key of their own; null where such calls must go without. */
  apiKey: string | null
  /** What embeds queries: its vectors are kept from collections that another embedder wrote. */
  embedder?: { version: string; dimensions: number } | null
  /** Where foreign collections keep their fields, by collection. */
  mappings?: Readonly<Record<string, PayloadMapping>>
  /** How long what a collection can be searched by is remembered. */
  profileTtlMs?: number
}

/**
 * Passages in Qdrant, or in the embedded engine that speaks its REST API.
 *
 * A search is one round trip with up to three queries: the dense list, the keyword list, and the exact dense scores of the
 * keyword list's members. The dense list of the answer holds every member of either list whose dense score is known, so it
 * may be longer than the limit, and a rank in it is a rank in the union. Scores are larger for better hits whatever the
 * metric. The first search of a collection asks first what it can be searched by. Errors are `StowageError`s.
 */
export function createQdrantStore(options: QdrantStoreOptions): PassageStore & { close(): Promise<void> } {
  const http = createQdrantHttp(options.url)
  const profiles = createProfiles(http, options.profileTtlMs ?? 30_000, options.mappings)
  const keyed = (call: StoreCall): StoreCall => ({ apiKey: call.apiKey ?? options.apiKey, signal: call.signal })

  async function search(request: SearchRequest, call: StoreCall): ReturnType<PassageStore['search']> {
    const profile = await profiles.get(request.collection, call)
    const { fields, missing } = chooseFields(request, profile, options.embedder ?? null)
    const bodies = searchBodies(request, fields)
    const answers = await runSearches(http, request.collection, bodies, call)

    const reading = { mapping: options.mappings?.[request.collection], denseName: fields.dense?.name }
    const ofDistance = isDistance(fields.dense?.distance ?? '')
    const keyword = readHits(readPoints(answers.keyword), request.collection, reading)
    const dense = readHits(readPoints(answers.dense), request.collection, { ...reading, isDistance: ofDistance })
    const rescored = readPoints(answers.rescored).map(
      point => [point.id, ofDistance ? -point.score : point.score] as const,
    )

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
    const profile = await profiles.get(collection, call)
    if (profile.documentField === null || profile.orderField === null) return []
    const result = await http.read({
      ...call,
      method: 'POST',
      path: `${pathOf(collection)}/points/query`,
      body: {
        filter: placesFilter(places, profile.documentField, profile.orderField, filter),
        limit: places.length,
        with_payload: true,
      },
    })
    return readPoints(result).map(point => readChunk(point, collection, options.mappings?.[collection]))
  }

  /** A collection may have been made anew since: what is remembered of it goes with the first failure. */
  async function guarded<T>(collection: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      profiles.forget(collection)
      throw error
    }
  }

  return {
    search: (request, call) => guarded(request.collection, () => search(request, keyed(call))),
    fetchPlaces: (collection, places, filter, call) =>
      guarded(collection, () => fetchPlaces(collection, places, filter, keyed(call))),
    close: () => http.close(),
  }
}

function list(source: 'dense' | 'keyword', hits: RetrievedHit[]): RetrievedList {
  return { source, kind: source, hits }
}

function pathOf(collection: string): string {
  return `/collections/${encodeURIComponent(collection)}`
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

interface SearchAnswers {
  dense: unknown
  keyword: unknown
  rescored: unknown
  /** Why the exact dense scores are not there, when the server refused the batch. */
  refused: string | null
}

/** All in one batch; where the server refuses that (strict mode, a partial engine), the two lists one by one. */
async function runSearches(
  http: QdrantHttp,
  collection: string,
  bodies: SearchBodies,
  call: StoreCall,
): Promise<SearchAnswers> {
  const query = (path: string, body: object): Promise<unknown> =>
    http.read({ ...call, method: 'POST', path: `${pathOf(collection)}/points/query${path}`, body })
  const names = (['dense', 'keyword', 'rescored'] as const).filter(name => bodies[name] !== null)
  const answers: SearchAnswers = { dense: null, keyword: null, rescored: null, refused: null }
  if (names.length === 0) return answers
  try {
    const results = await query('/batch', { searches: names.map(name => bodies[name]) })
    names.forEach((name, index) => {
      answers[name] = Array.isArray(results) ? results[index] : null
    })
    return answers
  } catch (error) {
    if (![400, 403, 404, 405, 422, 501].includes(statusOf(error) ?? 0)) throw error
    const [dense, keyword] = await Promise.all([
      bodies.dense && query('', bodies.dense),
      bodies.keyword && query('', bodies.keyword),
    ])
    const refused = bodies.rescored ? `exact dense scores of keyword hits: ${(error as Error).message}` : null
    return { dense, keyword, rescored: null, refused }
  }
}

function placesFilter(
  places: DocumentPlace[],
  documentField: string,
  orderField: string,
  filter: JsonObject | null,
): JsonObject {
  const ordersOf = new Map<string, number[]>()
  for (const { docId, orderIndex } of places) ordersOf.set(docId, [...(ordersOf.get(docId) ?? []), orderIndex])
  const should: JsonObject[] = []
  for (const [docId, orders] of ordersOf) {
    const order = { key: orderField, match: { any: orders } }
    for (const value of matchValues(docId)) should.push({ must: [{ key: documentField, match: { value } }, order] })
  }
  return { must: filter === null ? [{ should }] : [filter, { should }] }
}

/** A document id is text to us, but may be an integer in the payload, which a text does not match. */
function matchValues(docId: string): (string | number)[] {
  return /^(0|-?[1-9]\d{0,14})$/.test(docId) ? [docId, Number(docId)] : [docId]
}
