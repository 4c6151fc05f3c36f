import { batchesOf, groupBy } from '../../core/collections.ts'
import type { Chunk, JsonObject, PointId } from '../../core/types.ts'
import { type QdrantHttp, readForCommand } from '../../qdrant/client.ts'
import { documentConditions } from '../../qdrant/documents-filter.ts'
import { isObject } from '../../qdrant/json.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { findDocumentField, isParent, type PayloadMapping, readChunk } from '../../qdrant/payload/read-chunk.ts'
import { POINTS_OF_PAGE, readListedPoints } from '../../qdrant/points.ts'

/** Reads gold passages from a collection. */
export interface CollectionReader {
  collection: string
  /** The chunks of these documents, by document id, in any order. Documents that are not there are left out. */
  documents(ids: readonly string[]): Promise<Map<string, Chunk[]>>
  /** The chunks with these ids, by id as text. Points that are not there are left out. */
  points(ids: readonly PointId[]): Promise<Map<string, Chunk>>
  /** Ids as text of at most `limit` points that pass the filter. */
  passing(filter: JsonObject, limit: number): Promise<Set<string>>
}

interface CollectionReaderOptions {
  http: Pick<QdrantHttp, 'read'>
  apiKey: string | null
  collection: string
  mapping: PayloadMapping | undefined
}

/** Documents that are asked for at a time. */
const BATCH = 100
/** Points whose payloads show the fields of the collection. */
const SAMPLE = 20

/** Reads the chunks of any collection, also of one that stowage has not written. Errors are `StowageError`s. */
export function createCollectionReader(options: CollectionReaderOptions): CollectionReader {
  const { http, apiKey, collection, mapping } = options
  const post = (rest: string, body: JsonObject) =>
    readForCommand(http, { method: 'POST', path: collectionPath(collection, rest), body, apiKey })

  async function* scroll(body: JsonObject) {
    let offset: unknown = null
    do {
      const page = await post('points/scroll', { ...body, ...(offset === null ? {} : { offset: offset as PointId }) })
      yield* readListedPoints(page)
      offset = isObject(page) ? (page.next_page_offset ?? null) : null
    } while (offset !== null)
  }

  let fields: Promise<string[]> | null = null
  const documentFields = async (): Promise<string[]> => {
    if (mapping?.doc_id !== undefined) return [mapping.doc_id]
    const sample = readListedPoints(await post('points/scroll', { limit: SAMPLE, with_payload: true }))
    return [...new Set(sample.flatMap(({ payload }) => findDocumentField(payload) ?? []))]
  }

  async function chunksOf(ids: readonly string[]): Promise<Chunk[]> {
    fields ??= documentFields()
    const should = (await fields).flatMap(key => documentConditions({ key, types: ['string', 'number'] }, ids))
    const found: Chunk[] = []
    if (should.length === 0) return found
    for await (const point of scroll({ filter: { should }, limit: POINTS_OF_PAGE, with_payload: true }))
      if (!isParent(point.payload)) found.push(readChunk(point, collection, mapping))
    return found
  }

  return {
    collection,
    async documents(ids) {
      const wanted = new Set(ids)
      const found: Chunk[] = []
      for (const batch of batchesOf([...wanted], BATCH))
        for (const chunk of await chunksOf(batch)) if (wanted.has(chunk.docId)) found.push(chunk)
      return groupBy(found, ({ docId }) => docId)
    },
    async points(ids) {
      const found = new Map<string, Chunk>()
      for (const batch of batchesOf(ids, POINTS_OF_PAGE)) {
        const points = await post('points', { ids: batch, with_payload: true })
        for (const point of readListedPoints({ points }))
          found.set(String(point.id), readChunk(point, collection, mapping))
      }
      return found
    },
    async passing(filter, limit) {
      const page = await post('points/scroll', { filter, limit, with_payload: false })
      return new Set(readListedPoints(page).map(({ id }) => String(id)))
    },
  }
}
