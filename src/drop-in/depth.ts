import type { Plan } from '../pipeline/plan/plan.ts'
import type { Prefetch } from './query/prefetch.ts'
import type { UnderstoodQuery } from './query/understand.ts'

/**
 * Least number of hits of each list that are ranked. A dense list that is alone has more when the question may be known: BM25 over the
 * candidates then stands in for the keyword list. The searches of a request divide them.
 * @param searches number of searches in the request
 */
export function leastDepth(
  { prefetches }: UnderstoodQuery,
  { retrieval: { pool, foreignK } }: Plan,
  { mayHaveQuestion, searches }: { mayHaveQuestion: boolean; searches: number },
): number {
  const isAlone = prefetches.length === 1 && prefetches[0]?.kind === 'dense'
  return isAlone && mayHaveQuestion ? Math.max(pool, Math.floor((foreignK ?? 0) / searches)) : pool
}

/**
 * Number of hits of a list that are ranked. The offset does not count, so the pages of one search are parts of one order.
 * @param least least number for each list
 */
export function rankedDepth({ limit }: Prefetch, least: number): number {
  return Math.max(limit, least)
}
