/** What one ranked passage holds: the numbers of its gold passages, empty when it is not relevant. */
export type HeldGolds = readonly number[]

/**
 * Recall@k: gold passages held by the first k ranked passages ÷ gold passages.
 * @param ranked best first
 */
export function recallAt(ranked: readonly HeldGolds[], golds: number, k: number): number {
  return new Set(ranked.slice(0, k).flat()).size / golds
}

/** Reciprocal rank: 1 ÷ the rank of the first passage that holds any gold passage; 0 when none does. Its mean over queries is the MRR. */
export function reciprocalRank(ranked: readonly HeldGolds[]): number {
  const first = ranked.findIndex(held => held.length > 0)
  return first < 0 ? 0 : 1 / (first + 1)
}

/**
 * nDCG@k (Järvelin & Kekäläinen 2002) with the grades as gains. A gold passage gains once, at the first passage that holds it, so that copies and
 * overlapping chunks gain nothing. At most 1: a chunk can hold two gold passages, which the ideal order puts at two ranks.
 * @param grades of the gold passages, above 0
 */
export function ndcgAt(ranked: readonly HeldGolds[], grades: readonly number[], k: number): number {
  const known = new Set<number>()
  let gained = 0
  for (const [rank, held] of ranked.slice(0, k).entries())
    for (const gold of held) {
      if (known.has(gold)) continue
      known.add(gold)
      gained += (grades[gold] ?? 0) / Math.log2(rank + 2)
    }
  const ideal = [...grades].sort((left, right) => right - left).slice(0, k)
  const most = ideal.reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0)
  return Math.min(1, gained / most)
}

/**
 * Context precision as RAGAS defines it (Es et al. 2024): the mean of precision@k over the ranks k of the relevant passages of a context; 0
 * when none is relevant.
 * @param packed the passages in the order of the context
 */
export function contextPrecision(packed: readonly HeldGolds[]): number {
  let relevant = 0
  let sum = 0
  for (const [rank, held] of packed.entries()) {
    if (held.length === 0) continue
    relevant++
    sum += relevant / (rank + 1)
  }
  return relevant === 0 ? 0 : sum / relevant
}
