import type { Reranker, RerankRequest, RerankResult } from '../../core/ports.ts'
import { BoundedCache } from '../../text/bounded-cache.ts'
import { contentHash } from '../../text/fingerprint.ts'

/** Scores passages for one query, in the order given; null for those the signal came before. */
export type ScorePassages = (query: string, passages: string[], signal: AbortSignal) => Promise<(number | null)[]>

export interface CachedRerankerOptions {
  model: string
  /** Pairs remembered, about 200 bytes each; 0 remembers none. */
  cacheEntries: number
  score: ScorePassages
  close(): Promise<void>
}

/** A reranker that remembers the pairs it scored, by model, query and content of the passage, and scores a pair once. */
export function createCachedReranker({ model, cacheEntries, score, close }: CachedRerankerOptions): Reranker {
  const known = new BoundedCache<string, number>({ entries: cacheEntries })

  async function rerank({ query, passages, signal }: RerankRequest): Promise<RerankResult> {
    const prefix = contentHash(`${model}\n${query}`)
    const keys = passages.map(passage => prefix + contentHash(passage))
    const found = new Map<string, number>()
    const unknown = new Map<string, string>()
    for (const [at, key] of keys.entries()) {
      const before = known.get(key)
      if (before !== undefined) found.set(key, before)
      else unknown.set(key, passages[at] ?? '')
    }
    const cached = keys.filter(key => found.has(key)).length

    const scored = unknown.size === 0 ? [] : await score(query, [...unknown.values()], signal)
    for (const [at, key] of [...unknown.keys()].entries()) {
      const value = scored[at]
      if (value === undefined || value === null) continue
      known.set(key, value)
      found.set(key, value)
    }
    return { scores: keys.map(key => found.get(key) ?? null), cached }
  }

  return { model, rerank, close }
}
