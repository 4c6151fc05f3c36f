import type { TraceCandidate } from './schema.ts'

/** Rank constant of the reference order. */
const RRF_K = 60
/** Ranks of the reference order that count. */
const DEPTH = 10

/**
 * How much of what the searches found first is in the answer, in [0,1]; null when no candidate has a rank. It needs no gold passages, so it
 * can be computed for every request. The reference order is reciprocal rank fusion of the retrieved lists with equal weights (Cormack et
 * al. 2009), which no rule of the plan changes. The value is the share of the first ten of it that are packed, a duplicate of what is
 * packed, or a part of a packed parent, discounted as in DCG by 1 / log2(rank + 1).
 */
export function recallProxy(candidates: readonly TraceCandidate[]): number | null {
  const ranked = candidates
    .map(candidate => ({ candidate, value: referenceValue(candidate) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, DEPTH)
  if (ranked.length === 0) return null
  let gained = 0
  let ideal = 0
  ranked.forEach(({ candidate }, index) => {
    const discount = 1 / Math.log2(index + 2)
    ideal += discount
    if (isInContext(candidate)) gained += discount
  })
  return gained / ideal
}

function isInContext({ decision, reason }: TraceCandidate): boolean {
  return decision === 'packed' || reason === 'duplicate' || reason === 'replaced_by_parent'
}

function referenceValue({ lists }: TraceCandidate): number {
  return lists.reduce(
    (sum, { kind, rank }) => (rank === null || kind === 'lexical' ? sum : sum + 1 / (RRF_K + rank)),
    0,
  )
}
