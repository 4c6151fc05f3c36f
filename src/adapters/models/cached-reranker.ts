import type { Reranker, RerankRequest, RerankResult } from '../../core/ports.ts'
import { BoundedCache } from '../../text/bounded-cache.ts'
import { contentHash } from '../../text/fingerprint.ts'

/** Scores passages for one query. `scores[i]` is null if the signal aborted before passage i was scored. */
export type ScorePassages = (
  query: string,
  passages: string[],
  signal: AbortSignal,
  tenant: string | null,
) => Promise<(number | null)[]>

/** What computes scores, with the queue before it. */
export interface Scorer {
  score: ScorePassages
  expectedWaitMs?: NonNullable<Reranker['expectedWaitMs']>
  waiting?: NonNullable<Reranker['waiting']>
  close(): Promise<void>
}

export interface CachedRerankerOptions extends Scorer {
  model: string
  /** Number of scores in the cache, about 200 bytes each; default 20,000, 0 is off. */
  cacheEntries?: number | undefined
}

/** A reranker with a cache of scores by model, query and passage. Equal passages in a request are scored once. */
export function createCachedReranker({
  model,
  cacheEntries = 20_000,
  score,
  close,
  ...queue
}: CachedRerankerOptions): Reranker {
  const cache = new BoundedCache<string, number>({ entries: cacheEntries })

  async function rerank({ query, passages, signal, tenant = null }: RerankRequest): Promise<RerankResult> {
    const prefix = contentHash(`${model}\n${query}`)
    const keys = passages.map(passage => prefix + contentHash(passage))
    const found = new Map<string, number>()
    const unknown = new Map<string, string>()
    for (const [at, key] of keys.entries()) {
      const before = cache.get(key)
      if (before !== undefined) found.set(key, before)
      else unknown.set(key, passages[at] ?? '')
    }
    const cached = keys.filter(key => found.has(key)).length

    const scored = unknown.size === 0 ? [] : await score(query, [...unknown.values()], signal, tenant)
    for (const [at, key] of [...unknown.keys()].entries()) {
      const value = scored[at]
      if (value === undefined || value === null) continue
      cache.set(key, value)
      found.set(key, value)
    }
    return { scores: keys.map(key => found.get(key) ?? null), cached }
  }

  return { model, rerank, close, ...queue }
}
