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
export interface Scorer extends Omit<Reranker, 'model' | 'rerank'> {
  score: ScorePassages
}

/** Scores that several processes share. No method rejects. */
export interface SharedScores {
  /** The scores of some passages, in their order; null for one that nobody has scored. */
  find(question: ScoredQuestion, passages: readonly string[]): Promise<(number | null)[]>
  /** Shares the scores of passages. */
  keep(question: ScoredQuestion, scores: ReadonlyMap<string, number>): Promise<void>
}

interface ScoredQuestion {
  model: string
  query: string
  /** Whose question it is. */
  tenant: string | null
}

interface CachedRerankerOptions extends Scorer {
  model: string
  /** Number of scores in the cache, about 200 bytes each; default 20,000, 0 is off. */
  cacheEntries?: number | undefined
  /** Is asked for what the cache does not have. Default: none. */
  sharedScores?: SharedScores | undefined
}

/** A reranker with a cache of scores by model, tenant, query and passage. Equal passages in a request are scored once. */
export function createCachedReranker(options: CachedRerankerOptions): Reranker {
  const { model, cacheEntries = 20_000, sharedScores, score, close, ...queue } = options
  const cache = new BoundedCache<string, number>({ entries: cacheEntries })

  async function rerank({ query, passages, signal, tenant = null }: RerankRequest): Promise<RerankResult> {
    const prefix = contentHash(JSON.stringify([model, tenant, query]))
    const keys = passages.map(passage => prefix + contentHash(passage))
    const found = new Map<string, number>()
    const unknown = new Map<string, string>()
    for (const [at, key] of keys.entries()) {
      const before = cache.get(key)
      if (before !== undefined) found.set(key, before)
      else unknown.set(key, passages[at] ?? '')
    }
    const keep = (key: string, value: number | null | undefined) => {
      if (value === undefined || value === null) return
      cache.set(key, value)
      found.set(key, value)
    }
    const question = { model, query, tenant }
    if (sharedScores && unknown.size > 0) {
      const shared = await sharedScores.find(question, [...unknown.values()])
      for (const [at, key] of [...unknown.keys()].entries()) keep(key, shared[at])
      for (const key of found.keys()) unknown.delete(key)
    }
    const cached = keys.filter(key => found.has(key)).length

    const scored = unknown.size === 0 ? [] : await score(query, [...unknown.values()], signal, tenant)
    for (const [at, key] of [...unknown.keys()].entries()) keep(key, scored[at])
    const added = [...unknown].flatMap(([key, passage]) => {
      const value = found.get(key)
      return value === undefined ? [] : [[passage, value] as const]
    })
    if (added.length > 0) void sharedScores?.keep(question, new Map(added))
    return { scores: keys.map(key => found.get(key) ?? null), cached }
  }

  return { model, rerank, close, ...queue }
}
