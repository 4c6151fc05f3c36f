import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ContextKeyParts } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'

export interface AnswerCache<Answer> {
  /**
   * A digest of the parts and the write epochs of the collections; null when the cache is off. Take it before retrieving, so
   * that an answer that a write has overtaken is stored under a key that no request has.
   */
  key(parts: ContextKeyParts): string | null
  get(key: string): Answer | null
  put(key: string, answer: Answer): void
  /**
   * Makes every answer from a collection (null: from all collections) unfindable. A write under the name of a collection
   * does not reach answers for an alias of it: these live until their TTL ends.
   */
  bumpEpoch(collection: string | null): void
}

interface AnswerCacheOptions {
  /** Time to live in milliseconds; 0 switches the cache off. */
  ttlMs: number
  maxEntries: number
  /** Limit of the sum of the answers' sizes as JSON, in UTF-16 code units. */
  maxBytes: number
  /** Monotonic clock in milliseconds. */
  now: () => number
}

/** Clients choose the names of collections, so their number is limited. Beyond it, the epochs of all collections change. */
const MAX_EPOCHS = 10_000

/** An LRU cache of answers. Answers are shared: callers must not change them. */
export function createAnswerCache<Answer extends object | string>(options: AnswerCacheOptions): AnswerCache<Answer> {
  const { ttlMs, maxEntries, maxBytes, now } = options
  const answers = new LRUCache<string, Answer>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: answer => printJson(answer).length,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now },
  })
  const epochs = new Map<string, number>()
  let commonEpoch = 0

  return {
    key(parts) {
      if (ttlMs <= 0) return null
      const written = parts.collections.map(name => epochs.get(name) ?? 0)
      // Hashed, so that the key of a client does not stay in memory longer than its answer.
      return createHash('sha256')
        .update(printJson({ ...parts, epochs: [commonEpoch, ...written] }))
        .digest('base64')
    },
    get: key => answers.get(key) ?? null,
    put(key, answer) {
      if (ttlMs > 0) answers.set(key, answer)
    },
    bumpEpoch(collection) {
      if (ttlMs <= 0) return
      if (collection !== null) epochs.set(collection, (epochs.get(collection) ?? 0) + 1)
      if (collection !== null && epochs.size <= MAX_EPOCHS) return
      commonEpoch++
      epochs.clear()
    },
  }
}
