import { LRUCache } from 'lru-cache'
import { StowageError } from '../../core/errors.ts'
import type { ManagedCollection, ManagedCollections, PointScope } from '../../ingestion-guard/guard.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { readListedPoints } from '../../qdrant/points.ts'
import { isMadeByIngest, readLayout, record } from './layout.ts'
import { cacheKey, type Reads } from './profile.ts'

/** Clients choose the names of collections, so their number is limited. */
const MAX_COLLECTIONS = 1_000
const TTL_MS = 30_000
/** An upsert waits for this no longer, and a collection that could not be read is left alone for a while. */
const READ_TIMEOUT_MS = 1_000
const PAUSE_MS = 5_000
const VERSION = 'embedder_version'

type Known = { managed: ManagedCollection | null } | { failure: StowageError }

/** Finds out which collections are managed. What it finds is cached, except of empty collections, because the first points change them. */
export function createManagedCollections(http: Reads, isNamed: (collection: string) => boolean): ManagedCollections {
  const known = new LRUCache<string, Known>({ max: MAX_COLLECTIONS, ttl: TTL_MS })

  async function read({ collection, apiKey, condition }: PointScope) {
    const call = { apiKey, signal: AbortSignal.timeout(READ_TIMEOUT_MS) }
    const info = await http.read({ ...call, method: 'GET', path: collectionPath(collection) })
    if (!isNamed(collection) && !isMadeByIngest(info)) return { managed: null, isEmpty: false }
    const body = {
      limit: 1,
      with_payload: [VERSION],
      filter: { must: condition === null ? [] : [condition], must_not: [{ is_empty: { key: VERSION } }] },
    }
    const path = collectionPath(collection, 'points/scroll')
    const [point] = readListedPoints(await http.read({ ...call, method: 'POST', path, body }))
    const version = record(point?.payload)[VERSION]
    const managed = { embedderVersion: typeof version === 'string' ? version : null }
    return { managed, isEmpty: readLayout(info).points === 0 }
  }

  return {
    async look(scope) {
      const key = cacheKey(scope.collection, scope)
      const cached = known.get(key)
      if (cached !== undefined && 'failure' in cached) throw cached.failure
      if (cached !== undefined) return cached.managed
      try {
        const { managed, isEmpty } = await read(scope)
        if (!isEmpty) known.set(key, { managed })
        return managed
      } catch (error) {
        if (!(error instanceof StowageError)) throw error
        // Qdrant says so itself, when the request reaches it.
        if (error.code === 'collection_not_found') return null
        known.set(key, { failure: error }, { ttl: PAUSE_MS })
        throw error
      }
    },
    forget: scope => void known.delete(cacheKey(scope.collection, scope)),
  }
}
