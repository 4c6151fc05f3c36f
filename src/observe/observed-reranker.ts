import type { Reranker } from '../core/ports.ts'
import type { Reporter } from './events.ts'

/** A reranker that reports what became of the pairs of each request. */
export function observeReranker(reranker: Reranker, { pairsReranked }: Pick<Reporter, 'pairsReranked'>): Reranker {
  return {
    ...reranker,
    // They may be told later.
    get languages() {
      return reranker.languages
    },
    async rerank(request) {
      try {
        const result = await reranker.rerank(request)
        const known = result.scores.filter(score => score !== null).length
        const { cached } = result
        pairsReranked({ scored: known - cached, cached, skipped: result.scores.length - known })
        return result
      } catch (error) {
        pairsReranked({ scored: 0, cached: 0, skipped: request.passages.length })
        throw error
      }
    },
  }
}
