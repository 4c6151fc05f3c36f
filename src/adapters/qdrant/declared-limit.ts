import { LRUCache } from 'lru-cache'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { record } from './layout.ts'
import { cacheKey, MAX_PROFILES } from './profile.ts'

const TTL_MS = 60_000
/** How long nothing is known after a look without an answer. */
const UNKNOWN_TTL_MS = 10_000
/** Longest time of one look. */
const LOOK_MS = 1_000

/**
 * Asks Qdrant whether the strict mode of a collection limits its reads. Qdrant does not count this question. An answer is kept for a minute, for all callers with the same key: a
 * refused key changes nothing for others. Null without an answer, and after a refusal.
 */
export function createDeclaredLimit(
  http: Pick<QdrantHttp, 'read'>,
): (collection: string, apiKey: string | null) => Promise<boolean | null> {
  const known = new LRUCache<string, Promise<boolean | null>>({ max: MAX_PROFILES, ttl: TTL_MS })
  return (collection, apiKey) => {
    const key = cacheKey(collection, { apiKey, condition: null })
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const signal = AbortSignal.timeout(LOOK_MS)
    const info = http.read({ method: 'GET', path: collectionPath(collection), apiKey, signal })
    const answer = info.then(limitsReads, () => {
      known.set(key, answer, { ttl: UNKNOWN_TTL_MS })
      return null
    })
    known.set(key, answer)
    return answer
  }
}

/** @param info the `result` of GET /collections/{name} */
function limitsReads(info: unknown): boolean {
  const { enabled, read_rate_limit: limit } = record(record(record(info).config).strict_mode_config)
  return enabled === true && typeof limit === 'number'
}
