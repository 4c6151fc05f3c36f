import { createHash } from 'node:crypto'
import type { ContextKeyParts } from '../pipeline/services.ts'
import { printJson } from '../qdrant/json.ts'

export interface AnswerCache<Answer> {
  /**
   * A digest of the parts and the collections' write epochs; null when the cache is off. Take it before retrieving: an answer
   * stored under a key that a write has overtaken is never found again.
   */
  key(parts: ContextKeyParts): string | null
  get(key: string): Answer | null
  put(key: string, answer: Answer): void
  /**
   * Makes every answer from a collection unfindable; null means all collections. A write by a collection's name does not
   * reach answers asked for by an alias of it: those live until their time is up.
   */
  bumpEpoch(collection: string | null): void
}

export interface AnswerCacheOptions {
  /** Life of an answer in milliseconds; 0 switches the cache off. */
  ttlMs: number
  maxEntries: number
  /** Bound on the answers' sizes as JSON, in UTF-16 code units. */
  maxBytes: number
  /** Milliseconds on a clock that never goes back. */
  now: () => number
}

interface Entry<Answer> {
  answer: Answer
  size: number
  expires: number
}

/** Collection names come from requests, so their number is bounded: beyond it all epochs end together. */
const MAX_EPOCHS = 10_000

/** A bounded cache of answers that forgets the least recently used. Answers are shared: nobody may change one. */
export function createAnswerCache<Answer>({
  ttlMs,
  maxEntries,
  maxBytes,
  now,
}: AnswerCacheOptions): AnswerCache<Answer> {
  const entries = new Map<string, Entry<Answer>>()
  const epochs = new Map<string, number>()
  let commonEpoch = 0
  let bytes = 0

  const forget = (key: string) => {
    bytes -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    key(parts) {
      if (ttlMs <= 0) return null
      const written = parts.collections.map(name => epochs.get(name) ?? 0)
      // Hashed as a whole, so that no client's key or question stays in memory longer than its answer.
      return createHash('sha256')
        .update(printJson({ ...parts, epochs: [commonEpoch, ...written] }))
        .digest('base64')
    },
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return null
      if (entry.expires <= now()) {
        forget(key)
        return null
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry.answer
    },
    put(key, answer) {
      const size = printJson(answer).length
      if (ttlMs <= 0 || maxEntries < 1 || size > maxBytes) return
      forget(key)
      entries.set(key, { answer, size, expires: now() + ttlMs })
      bytes += size
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) break
        forget(oldest)
      }
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
