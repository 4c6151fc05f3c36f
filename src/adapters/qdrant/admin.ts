import { QdrantClient } from '@qdrant/js-client-rest'
import { z } from 'zod'
import { compareText, groupBy } from '../../core/collections.ts'
import { StowageError } from '../../core/errors.ts'
import type { Json, JsonObject, SparseVector } from '../../core/types.ts'
import { denseRemedy } from '../../doctor/collection-checks.ts'
import type { CollectionProbe } from '../../doctor/facts.ts'
import type { CollectionName, Marking } from '../../doctor/tenant-facts.ts'
import type { CollectionLayout, IngestTarget, NewPoint, StoredPoint } from '../../ingest/target.ts'
import { createQdrantHttp, readForCommand } from '../../qdrant/client.ts'
import { failureOf, isReset, notUnderstood, statusFailure } from '../../qdrant/errors.ts'
import { collectionPath, pathPrefix } from '../../qdrant/paths.ts'
import { readListedPoints } from '../../qdrant/points.ts'
import { chooseDense, chooseSparse, MANAGED_METADATA, readLayout, readPayloadIndex, record } from './layout.ts'
import { probeServer } from './server-state.ts'

const SCROLL_PAGE = 1_000

/** Payload indexes for our filters: type by field. */
const PAYLOAD_INDEXES = {
  tenant: { type: 'keyword', is_tenant: true },
  space_id: 'keyword',
  acl: 'keyword',
  lang: 'keyword',
  doc_id: 'keyword',
  source: 'keyword',
  section_path: 'keyword',
  embedder_version: 'keyword',
  order_index: 'integer',
} as const

const STORED_PAYLOAD = z.object({
  doc_id: z.string(),
  content_hash: z.string(),
  doc_title: z.string().catch(''),
  source: z.string().nullable().catch(null),
  source_folder: z.string().nullable().catch(null),
  document_mark: z.object({ hash: z.string(), chunks: z.number(), tokens: z.number() }).nullable().catch(null),
  is_parent: z.boolean().catch(false),
  context_version: z.string().nullable().catch(null),
})
const STORED_POINT = STORED_PAYLOAD.transform(
  (fields): StoredPoint => ({
    docId: fields.doc_id,
    contentHash: fields.content_hash,
    title: fields.doc_title,
    source: fields.source,
    sourceFolder: fields.source_folder,
    document: fields.document_mark,
    isParent: fields.is_parent,
    contextVersion: fields.context_version,
  }),
)

interface QdrantAdmin extends IngestTarget, CollectionProbe {
  /** Deletes a collection with all its points; false when there is none. */
  deleteCollection(collection: string): Promise<boolean>
}

/**
 * Inspects collections through our client for reads, and writes to them through Qdrant's official client. Every call is safe
 * to repeat, so it is sent again after a reset: embedding between two writes can outlast the server's keep-alive. All errors
 * are `StowageError`s.
 */
export function createQdrantAdmin({ url, apiKey }: { url: string; apiKey: string | null }): QdrantAdmin {
  const http = createQdrantHttp(url)
  const client = createClient(url, apiKey)

  const read = (path: string, body?: JsonObject) =>
    readForCommand(http, { method: body ? 'POST' : 'GET', path, body, apiKey })

  const scroll = (collection: string, body: JsonObject) => read(collectionPath(collection, 'points/scroll'), body)

  async function layout(collection: string): Promise<CollectionLayout | null> {
    try {
      return readLayout(await read(collectionPath(collection)))
    } catch (error) {
      if (error instanceof StowageError && error.code === 'collection_not_found') return null
      throw error
    }
  }

  async function sample(collection: string, limit: number, filter: JsonObject = {}): Promise<unknown[]> {
    const page = await scroll(collection, { limit, filter, with_payload: true })
    return readListedPoints(page).map(point => point.payload ?? {})
  }

  async function stored(collection: string, filter: JsonObject): Promise<Map<string, StoredPoint>> {
    const found = new Map<string, StoredPoint>()
    const query = { filter, limit: SCROLL_PAGE, with_payload: Object.keys(STORED_PAYLOAD.shape) }
    let offset: Json | undefined
    do {
      const page = await scroll(collection, offset ? { ...query, offset } : query)
      for (const { id, payload } of readListedPoints(page)) {
        // Our ids are UUIDs. A point with a number as its id is not ours to overwrite or delete.
        const point = typeof id === 'string' ? STORED_POINT.safeParse(payload).data : undefined
        if (point) found.set(String(id), point)
      }
      offset = record(page).next_page_offset as Json | undefined
    } while (offset)
    return found
  }

  async function create(collection: string, denseSize: number | null): Promise<void> {
    // The method of the client itself leaves metadata out.
    await send(() =>
      client.api().createCollection({
        collection_name: collection,
        vectors: denseSize === null ? {} : { dense: { size: denseSize, distance: 'Cosine' } },
        sparse_vectors: { sparse: { modifier: 'idf' } },
        metadata: MANAGED_METADATA,
      }),
    )
  }

  async function addIndexes(collection: string, existing: Record<string, string>): Promise<void> {
    for (const [field, schema] of Object.entries(PAYLOAD_INDEXES)) {
      if (field in existing) continue
      await send(() => client.createPayloadIndex(collection, { wait: true, field_name: field, field_schema: schema }))
    }
  }

  async function names(): Promise<CollectionName[]> {
    const [listed, aliases] = await Promise.all([read('/collections'), read('/aliases')])
    const aliasesOf = groupBy(recordsIn(aliases, 'aliases'), alias => String(alias.collection_name))
    const collections = recordsIn(listed, 'collections').map(({ name }) => String(name))
    return collections.sort(compareText).map(name => ({
      name,
      aliases: (aliasesOf.get(name) ?? []).map(alias => String(alias.alias_name)),
    }))
  }

  async function marking(collection: string, field: string): Promise<Marking> {
    const filter = { must: [{ is_empty: { key: field } }] }
    const [info, unmarked] = await Promise.all([
      read(collectionPath(collection)),
      read(collectionPath(collection, 'points/count'), { exact: true, filter }),
    ])
    const count = Number(record(unmarked).count)
    return { index: readPayloadIndex(info, field), points: readLayout(info).points, unmarked: count }
  }

  return {
    layout,
    sample,
    names,
    marking,
    server: () => probeServer({ url, apiKey }),
    deleteCollection: async collection => {
      if ((await layout(collection)) === null) return false
      await send(() => client.deleteCollection(collection))
      return true
    },

    async open(collection, { denseSize, create: mayCreate }) {
      const found = await layout(collection)
      if (found === null && !mayCreate) return null
      if (found === null) await create(collection, denseSize)
      if (mayCreate) await addIndexes(collection, found?.indexes ?? {})
      const fields = found === null ? { dense: 'dense', sparse: 'sparse' } : chooseFields(collection, found, denseSize)
      return {
        created: found === null,
        hasSparse: fields.sparse !== null,
        sample: (limit, filter) => sample(collection, limit, filter),
        stored: filter => stored(collection, filter),
        upsert: async points => {
          const written = points.map(point => pointOf(point, fields))
          await send(() => client.upsert(collection, { wait: true, points: written }))
        },
        remove: async ids => {
          await send(() => client.delete(collection, { wait: true, points: ids }))
        },
      }
    },
  }
}

/** The objects in a list of a result. */
function recordsIn(result: unknown, list: string): Record<string, unknown>[] {
  const found = record(result)[list]
  if (!Array.isArray(found)) throw notUnderstood(`no list of ${list}`)
  return found.map(record)
}

/** Runs a call of the official client, and again after a reset. */
async function send<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call().catch(error => (isReset(error) ? call() : Promise.reject(error)))
  } catch (error) {
    throw translate(error)
  }
}

/** Names of the vectors that are written; null if the collection has no field for them. */
interface WriteFields {
  dense: string | null
  sparse: string | null
}

function chooseFields(collection: string, layout: CollectionLayout, denseSize: number | null): WriteFields {
  const dense = denseSize === null ? null : chooseDense(layout, denseSize)
  const sparse = chooseSparse(layout)
  if (denseSize !== null && dense === null) {
    const sizes = layout.dense.map(field => field.size).join(', ') || 'none'
    throw new StowageError(
      'unprocessable',
      `collection ${collection} has no dense vector of the embedder's ${denseSize} dimensions (it has: ${sizes}). ${denseRemedy(layout.dense)}`,
    )
  }
  if (dense === null && sparse === null)
    throw new StowageError('unprocessable', `collection ${collection} has no sparse vector with modifier idf`)
  return { dense: dense?.name ?? null, sparse }
}

function pointOf(point: NewPoint, fields: WriteFields) {
  const vector: Record<string, number[] | SparseVector> = {}
  if (point.dense !== null && fields.dense !== null) vector[fields.dense] = Array.from(point.dense)
  if (point.sparse !== null && fields.sparse !== null) vector[fields.sparse] = point.sparse
  return { id: point.id, vector, payload: point.payload }
}

/** The client drops the path of a `url` and replaces a missing port by 6333, so it gets the parts of the URL instead. */
function createClient(url: string, apiKey: string | null): QdrantClient {
  const server = new URL(url)
  const { protocol, hostname, port } = server
  return new QdrantClient({
    host: hostname,
    https: protocol === 'https:',
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    prefix: pathPrefix(server),
    checkCompatibility: false,
    // The option `apiKey` prints a warning for http URLs.
    ...(apiKey === null ? {} : { headers: { 'api-key': apiKey } }),
  })
}

/** Errors of the client have the `status` and the parsed body in `data`. Without a status there was no answer. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if ('status' in error && typeof error.status === 'number') {
    const data = 'data' in error ? error.data : null
    return statusFailure(error.status, typeof data === 'string' ? data : JSON.stringify(data))
  }
  if (error.name === 'QdrantClientResourceExhaustedError') return statusFailure(429, error.message)
  return failureOf(error)
}
