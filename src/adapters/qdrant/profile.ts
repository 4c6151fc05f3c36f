import type { StoreCall } from '../../core/ports.ts'
import type { CollectionLayout } from '../../ingest/target.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { findDocumentField, findOrderField, type PayloadMapping } from '../../qdrant/payload.ts'
import { readListedPoints } from '../../qdrant/points.ts'
import { readLayout, record } from './layout.ts'

/** What a collection can be searched by, and where its payloads keep what neighbours are found by. */
export interface Profile {
  layout: CollectionLayout
  /** Paths into the payload; null where a sampled point has none. */
  documentField: string | null
  orderField: string | null
  /** Which embedder wrote the sampled point; null when the point does not say. */
  embedderVersion: string | null
}

export interface Profiles {
  get(collection: string, call: StoreCall): Promise<Profile>
  forget(collection: string): void
}

/** Profiles of collections, remembered for a while; not those of empty ones, which the first points will change. */
export function createProfiles(
  http: QdrantHttp,
  ttlMs: number,
  mappings: Readonly<Record<string, PayloadMapping>> = {},
): Profiles {
  const known = new Map<string, { profile: Profile; expires: number }>()

  async function read(collection: string, call: StoreCall): Promise<Profile> {
    const scroll = collectionPath(collection, 'points/scroll')
    const [info, scrolled] = await Promise.all([
      http.read({ ...call, method: 'GET', path: collectionPath(collection) }),
      http.read({ ...call, method: 'POST', path: scroll, body: { limit: 1, with_payload: true } }),
    ])
    const payload = record(readListedPoints(scrolled)[0]?.payload)
    const mapping = mappings[collection]
    const version = payload.embedder_version
    return {
      layout: readLayout(info),
      documentField: findDocumentField(payload, mapping),
      orderField: findOrderField(payload, mapping),
      embedderVersion: typeof version === 'string' ? version : null,
    }
  }

  return {
    async get(collection, call) {
      const entry = known.get(collection)
      if (entry && entry.expires > performance.now()) return entry.profile
      const profile = await read(collection, call)
      if (profile.layout.points > 0) known.set(collection, { profile, expires: performance.now() + ttlMs })
      return profile
    },
    forget(collection) {
      known.delete(collection)
    },
  }
}
