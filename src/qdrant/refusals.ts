import { LRUCache } from 'lru-cache'

/** Clients choose the names of collections, so their number is limited. */
const MOST_COLLECTIONS = 1_000
/** Then Qdrant is asked again. */
const TTL_MS = 10 * 60_000

/** The collections in which Qdrant has refused something that is not needed, for ten minutes each. */
export class Refusals {
  readonly #collections = new LRUCache<string, true>({ max: MOST_COLLECTIONS, ttl: TTL_MS })

  has(collection: string): boolean {
    return this.#collections.has(collection)
  }

  add(collection: string): void {
    this.#collections.set(collection, true)
  }
}

/** Whether Qdrant, or a server before it, refuses a request because there were too many. */
export function refusesForNow(status: number | null): boolean {
  return status === 429
}

/** Whether Qdrant will not answer such a request, however often it is sent: strict mode answers so. */
export function isRefusal(status: number | null): boolean {
  return status === 400 || status === 422
}
