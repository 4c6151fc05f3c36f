import { QdrantClient } from '@qdrant/js-client-rest'
import { StowageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/types.ts'
import type { CollectionProbe } from '../../doctor/facts.ts'
import type { CollectionLayout, CollectionWriter, IngestTarget, NewPoint, StoredPoint } from '../../ingest/target.ts'
import { failureOf, isReset, statusFailure } from '../../qdrant/errors.ts'
import { pathPrefix } from '../../qdrant/paths.ts'
import { readListedPoints } from '../../qdrant/points.ts'
import { chooseDense, chooseSparse, readLayout } from './layout.ts'

const SCROLL_PAGE = 1_000

/** Field and type of the payload indexes that our filters use. */
const PAYLOAD_INDEXES = {
  tenant: { type: 'keyword', is_tenant: true },
  space_id: 'keyword',
  acl: 'keyword',
  lang: 'keyword',
  doc_id: 'keyword',
  section_path: 'keyword',
  embedder_version: 'keyword',
  order_index: 'integer',
} as const

/**
 * Writes to and looks into collections through Qdrant's official client. Every call is sent once more after a reset: each may
 * be repeated, and embedding between two writes outlasts the server's keep-alive. Errors are `StowageError`s.
 */
export function createQdrantAdmin(options: { url: string; apiKey: string | null }): IngestTarget & CollectionProbe {
  const client = createClient(options.url, options.apiKey)

  async function call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work().catch(error => (isReset(error) ? work() : Promise.reject(error)))
    } catch (error) {
      throw translate(error)
    }
  }

  async function layout(collection: string): Promise<CollectionLayout | null> {
    try {
      return readLayout(await call(() => client.getCollection(collection)))
    } catch (error) {
      if (error instanceof StowageError && error.code === 'collection_not_found') return null
      throw error
    }
  }

  async function sample(collection: string, limit: number, filter: JsonObject = {}): Promise<unknown[]> {
    const page = await call(() => client.scroll(collection, { limit, filter, with_payload: true, with_vector: false }))
    return readListedPoints(page).map(point => point.payload ?? {})
  }

  async function create(collection: string, denseSize: number | null): Promise<void> {
    await call(() =>
      client.createCollection(collection, {
        vectors: denseSize === null ? {} : { dense: { size: denseSize, distance: 'Cosine' } },
        sparse_vectors: { sparse: { modifier: 'idf' } },
      }),
    )
  }

  async function addIndexes(collection: string, existing: Record<string, string>): Promise<void> {
    for (const [field, schema] of Object.entries(PAYLOAD_INDEXES)) {
      if (field in existing) continue
      await call(() => client.createPayloadIndex(collection, { wait: true, field_name: field, field_schema: schema }))
    }
  }

  return {
    layout,
    sample,
    async serverVersion() {
      return (await call(() => client.versionInfo())).version
    },

    async open(collection, { denseSize, create: mayCreate }) {
      const found = await layout(collection)
      if (found === null && !mayCreate) return null
      if (found === null) await create(collection, denseSize)
      if (mayCreate) await addIndexes(collection, found?.indexes ?? {})
      const fields = found === null ? { dense: 'dense', sparse: 'sparse' } : chooseFields(collection, found, denseSize)
      return createWriter(collection, fields, found === null)
    },
  }

  function createWriter(collection: string, fields: WriteFields, created: boolean): CollectionWriter {
    return {
      created,
      hasSparse: fields.sparse !== null,
      sample: (limit, filter) => sample(collection, limit, filter),

      async stored(filter) {
        const found = new Map<string, StoredPoint>()
        let offset: unknown = null
        do {
          const from = offset as string | null
          const page = await call(() =>
            client.scroll(collection, {
              filter,
              limit: SCROLL_PAGE,
              with_payload: ['doc_id', 'content_hash'],
              with_vector: false,
              ...(from === null ? {} : { offset: from }),
            }),
          )
          for (const { id, payload } of page.points) {
            const { doc_id: docId, content_hash: contentHash } = payload ?? {}
            // Ours are UUIDs; a number may have lost digits in the client, and is not ours to overwrite or delete.
            if (typeof id !== 'string' || typeof docId !== 'string' || typeof contentHash !== 'string') continue
            found.set(id, { docId, contentHash })
          }
          offset = page.next_page_offset ?? null
        } while (offset !== null)
        return found
      },

      async upsert(points) {
        await call(() => client.upsert(collection, { wait: true, points: points.map(point => pointOf(point, fields)) }))
      },

      async remove(ids) {
        await call(() => client.delete(collection, { wait: true, points: ids }))
      },
    }
  }
}

/** Names of the vectors that are written; null for a kind that the collection has no place for. */
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
      `collection ${collection} has no dense vector of the embedder's ${denseSize} dimensions (it has: ${sizes})`,
    )
  }
  if (dense === null && sparse === null) {
    throw new StowageError(
      'unprocessable',
      `collection ${collection} has no sparse vector with modifier idf to write to`,
    )
  }
  return { dense: dense?.name ?? null, sparse }
}

function pointOf(point: NewPoint, fields: WriteFields) {
  const vector: Record<string, number[] | NewPoint['sparse']> = {}
  if (point.dense !== null && fields.dense !== null) vector[fields.dense] = Array.from(point.dense)
  if (fields.sparse !== null) vector[fields.sparse] = point.sparse
  return { id: point.id, vector, payload: point.payload }
}

/** The client drops a path in its URL and takes 6333 for a missing port; here a URL means what it says. */
function createClient(url: string, apiKey: string | null): QdrantClient {
  const server = new URL(url)
  const { protocol, hostname, port } = server
  return new QdrantClient({
    host: hostname,
    https: protocol === 'https:',
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    prefix: pathPrefix(server),
    checkCompatibility: false,
    // As `apiKey` it would be warned about on the console with every http URL.
    ...(apiKey === null ? {} : { headers: { 'api-key': apiKey } }),
  })
}

/** The client's errors carry `status` and the parsed body in `data`; one without a status never got an answer. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if ('status' in error && typeof error.status === 'number') {
    const data = 'data' in error ? error.data : null
    return statusFailure(error.status, typeof data === 'string' ? data : JSON.stringify(data))
  }
  if (error.name === 'QdrantClientResourceExhaustedError') return statusFailure(429, error.message)
  return failureOf(error)
}
