import { compareText } from '../core/collections.ts'
import type { Candidate } from '../core/types.ts'

/**
 * Compares for `sort`: best value first, equal values by their best rank in a list, as Qdrant gave them, and then by key. So the order of
 * the input has no effect.
 */
export function byValue(a: Candidate, b: Candidate): number {
  return b.value - a.value || bestRank(a) - bestRank(b) || compareText(a.key, b.key)
}

/** Infinite for a candidate of no list. The difference of two such ranks is NaN, so they are compared by key. */
function bestRank({ signals }: Candidate): number {
  return signals.reduce((best, { rank }) => Math.min(best, rank ?? Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY)
}
