import { LRUCache } from 'lru-cache'
import type { StoreCall } from '../../core/ports.ts'
import type { JsonObject } from '../../core/types.ts'
import type { CollectionLayout } from '../../ingest/target.ts'
import type { QdrantHttp, QdrantRead } from '../../qdrant/client.ts'
import { narrowedFilter } from '../../qdrant/condition.ts'
import { type DocumentFilter, documentFilter } from '../../qdrant/documents-filter.ts'
import { printJson } from '../../qdrant/json.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import type { PayloadMappings } from '../../qdrant/payload/mappings.ts'
import { findDocumentField, findOrderField, isOwn, isParent } from '../../qdrant/payload/read-chunk.ts'
import { readListedPoints } from '../../qdrant/points.ts'
import { contentHash } from '../../text/fingerprint.ts'
import { readLayout, record } from './layout.ts'

/** The vectors of a collection, and the payload fields that neighbours are found by. */
export interface Profile {
  layout: CollectionLayout
  /** Payload paths; null if the sampled point has no such field. */
  documentField: string | null
  orderField: string | null
  /** How points are filtered by document; null when there is no quick way. */
  documentFilter: DocumentFilter | null
  /** Version of the embedder in the sampled point; null if the point has none. */
  embedderVersion: string | null
  /** Whether the sampled point has not been written by `stowage ingest`. */
  isForeign: boolean
  /** Whether the caller sees any point. */
  hasPoints: boolean
}

/** The part of the client that profiles and searches use. */
export interface Reads {
  read(request: QdrantRead & Pick<StoreCall, 'cluster'>): ReturnType<QdrantHttp['read']>
}

/** Clients choose the names of collections, so their number is limited. */
export const MAX_PROFILES = 1_000
const TTL_MS = 30_000
/** The points of `stowage ingest` that are no parents. It makes the index of the field, which Qdrant in strict mode asks for. */
const WITH_PLACE = { must: [{ key: 'order_index', range: { gte: 0 } }] }

/**
 * Cached profiles of collections, one for each key and condition: these decide which points a caller sees, and a refused key changes
 * nothing for others. Profiles of collections without any point for the caller are not cached, because the first points change them.
 */
export function createProfiles(http: Reads, mappings: PayloadMappings = {}) {
  const profiles = new LRUCache<string, Profile>({ max: MAX_PROFILES, ttl: TTL_MS })

  async function read(collection: string, call: StoreCall): Promise<Profile> {
    const scroll = collectionPath(collection, 'points/scroll')
    const firstOf = async (among: JsonObject | null) => {
      const filter = narrowedFilter(call.condition, among)
      const body = { ...(filter && { filter }), limit: 1, with_payload: true }
      return readListedPoints(await http.read({ ...call, method: 'POST', path: scroll, body }))[0]
    }
    const [info, first] = await Promise.all([
      http.read({ ...call, method: 'GET', path: collectionPath(collection) }),
      firstOf(null),
    ])
    const sample = isParent(first?.payload) ? await firstOf(WITH_PLACE) : first
    const payload = record(sample?.payload)
    const mapping = mappings[collection]
    const version = payload.embedder_version
    const layout = readLayout(info)
    const documentField = findDocumentField(payload, mapping)
    return {
      layout,
      documentField,
      orderField: findOrderField(payload, mapping),
      documentFilter: documentField === null ? null : documentFilter(documentField, layout),
      embedderVersion: typeof version === 'string' ? version : null,
      isForeign: !isOwn(sample?.payload),
      hasPoints: sample !== undefined,
    }
  }

  return {
    /** Whether the profile is one from before, and can be out of date. */
    has: (collection: string, call: StoreCall): boolean => profiles.has(cacheKey(collection, call)),
    async get(collection: string, call: StoreCall): Promise<Profile> {
      const key = cacheKey(collection, call)
      const cached = profiles.get(key)
      if (cached !== undefined) return cached
      const profile = await read(collection, call)
      if (profile.hasPoints) profiles.set(key, profile)
      return profile
    },
    /** Drops the profile that callers with this key and condition share. */
    forget: (collection: string, call: StoreCall): void => void profiles.delete(cacheKey(collection, call)),
  }
}

/** The key is hashed, so that no secret stays in the cache. JSON keeps "no key" apart from every key. */
export function cacheKey(
  collection: string,
  { apiKey, condition, cluster }: Pick<StoreCall, 'apiKey' | 'condition' | 'cluster'>,
): string {
  return contentHash(printJson([collection, apiKey, condition, cluster?.shardKey ?? null]))
}
