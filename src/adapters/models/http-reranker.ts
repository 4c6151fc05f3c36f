import type { Reranker } from '../../core/ports.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { createCachedReranker, type ScorePassages, type SharedScores } from './cached-reranker.ts'
import type { ToldLanguages } from './fleet/endpoint-info.ts'
import { createFleet, type FleetOptions } from './fleet/fleet.ts'
import { askEndpoint, type RerankEndpoint } from './fleet/rerank-endpoint.ts'

export interface HttpRerankerOptions extends RerankEndpoint, FleetOptions {
  /** Addresses of endpoints with the same model, e.g. `http://127.0.0.1:8080/rerank`. */
  urls: readonly string[]
  /** Model name in requests and in cache keys. */
  model?: string
  /** Most passages of a request; default 32 for TEI (its own default limit), else 1,000. */
  batchSize?: number
  /** Fewest passages of a part, when the passages are shared out over several endpoints; Infinity never shares them out. */
  leastPart?: number
  cacheEntries?: number
  /** What the endpoints tell about their model. Default: nothing, so that they are asked about every text. */
  told?: ToldLanguages
  /** Default: none. */
  sharedScores?: SharedScores | undefined
}

/** Below it, the round trip and the slower of two endpoints cost more than the second endpoint gains. */
const LEAST_PART = 10

/**
 * A reranker behind HTTP, on one endpoint or a fleet of them. The passages are shared out over the healthy endpoints, each part in fused order. A part that
 * fails has no scores.
 * @throws StowageError when no part has scores, and not because of the signal
 */
export function createHttpReranker(options: HttpRerankerOptions): Reranker {
  const fleet = createFleet(options)
  const { batchSize = options.shape === 'tei' ? 32 : 1_000, leastPart = LEAST_PART, told } = options

  const score: ScorePassages = async (query, passages, signal) => {
    // Endpoints that were away at the start are asked in the background, until one has told.
    void told?.ask()
    const lanes = Math.max(1, fleet.healthy)
    const size = Math.min(batchSize, Math.max(leastPart, Math.ceil(passages.length / lanes)))
    const scores: (number | null)[] = passages.map(() => null)
    let next = 0
    let fault: unknown = null
    const scoreParts = async () => {
      while (next < passages.length && !signal.aborted && fault === null) {
        const start = next
        next += size
        try {
          const part = passages.slice(start, start + size)
          const found = await fleet.ask((url, stop) => askEndpoint(url, options, query, part, stop), signal)
          for (const [at, value] of found.entries()) scores[start + at] = value
        } catch (error) {
          fault ??= error
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(lanes, Math.ceil(passages.length / size)) }, scoreParts))
    if (fault !== null && !signal.aborted && scores.every(value => value === null)) throw fault
    return scores
  }

  const reranker = createCachedReranker({
    model: options.model ?? options.urls.map(redactUrls).join(','),
    cacheEntries: options.cacheEntries,
    sharedScores: options.sharedScores,
    score,
    close: () => Promise.resolve(),
  })
  return {
    ...reranker,
    get languages() {
      return told?.languages
    },
  }
}
