import { LRUCache } from 'lru-cache'
import type { SharedStore, TokenRate } from '../../src/core/shared-store.ts'

export interface InProcessOptions {
  /** Largest sum of the sizes of keys and values. Beyond it, the values that were used least recently are forgotten. Default: 64 MiB. */
  maxBytes?: number
  /** Clock in milliseconds. */
  now?: () => number
}

interface Bucket {
  tokens: number
  at: number
}

/** What an entry takes beside its key and its value, in bytes. A rough measure. */
const OVERHEAD = 64
const MOST_BUCKETS = 10_000

/** A shared store in the memory of this process. */
export function createInProcessStore({
  maxBytes = 64 * 1024 * 1024,
  now = () => performance.now(),
}: InProcessOptions = {}): SharedStore {
  const values = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) => OVERHEAD + key.length * 2 + value.byteLength,
    ttlResolution: 0,
    perf: { now },
  })
  const buckets = new LRUCache<string, Bucket>({ max: MOST_BUCKETS })

  return {
    getMany: async keys => keys.map(key => values.get(key) ?? null),
    async setMany(entries) {
      for (const { key, value, ttlMs } of entries) values.set(key, value, { ttl: ttlMs })
    },
    async deleteMany(keys) {
      for (const key of keys) values.delete(key)
    },
    async takeToken(key, rate) {
      const { bucket, waitMs } = take(buckets.get(key) ?? { tokens: rate.burst, at: now() }, rate, now())
      buckets.set(key, bucket)
      return waitMs
    },
    async close() {
      values.clear()
      buckets.clear()
    },
  }
}

function take(
  { tokens, at }: Bucket,
  { perSecond, burst }: TokenRate,
  now: number,
): { bucket: Bucket; waitMs: number } {
  const held = Math.min(burst, tokens + (Math.max(0, now - at) * perSecond) / 1_000)
  if (held >= 1) return { bucket: { tokens: held - 1, at: now }, waitMs: 0 }
  return { bucket: { tokens: held, at: now }, waitMs: Math.ceil(((1 - held) * 1_000) / perSecond) }
}
