/**
 * Reciprocal rank fusion and distribution-based score fusion with Qdrant's float32 rounding
 * (lib/segment/src/common/{reciprocal_rank_fusion,score_fusion}.rs at v1.19.0).
 */

const { fround } = Math

/** A fusion method. `weights` has one entry per list; null gives every list the weight 1. */
export type FusionRule = { method: 'rrf'; k: number; weights: readonly number[] | null } | { method: 'dbsf' }

/** Qdrant's default k of reciprocal rank fusion. Ranks count from 0. */
export const DEFAULT_RRF_K = 2

/** One hit of a ranked list. Equal keys are the same point. */
export interface Ranked<Key> {
  key: Key
  score: number
}

type List<Key> = readonly Ranked<Key>[]

/**
 * The fused score of every point.
 * @param lists hits ordered best first
 * @param measured lists that supply the score distributions of DBSF; by default `lists`
 */
export function fuse<Key>(
  lists: readonly List<Key>[],
  rule: FusionRule,
  measured: readonly List<Key>[] = lists,
): Map<Key, number> {
  const shares = lists.map((list, index) => {
    if (rule.method === 'rrf') {
      const weight = rule.weights?.[index] ?? 1
      return list.map(({ key }, place) => ({ key, score: reciprocalRank(place, rule.k, weight) }))
    }
    const scale = distributionScale(measured[index] ?? [])
    return list.map(({ key, score }) => ({ key, score: scale(score) }))
  })
  return sumByKey(shares)
}

/** The sum of each point's scores over the lists. */
export function sumByKey<Key>(lists: readonly List<Key>[]): Map<Key, number> {
  const sums = new Map<Key, number>()
  for (const { key, score } of lists.flat()) sums.set(key, fround((sums.get(key) ?? 0) + fround(score)))
  return sums
}

/** `1 / ((place + 1) / weight + k − 1)` with places from 0. A weight of 0 or less gives 0. */
function reciprocalRank(place: number, k: number, weight: number): number {
  if (weight <= 0) return 0
  return fround(1 / fround(fround(fround((place + 1) / fround(weight)) + k) - 1))
}

/** `(score − (μ − 3σ)) / 6σ` with the sample standard deviation, not clamped; 0.5 when σ is 0. */
function distributionScale(list: List<unknown>): (score: number) => number {
  let mean = 0
  let squares = 0
  list.forEach(({ score }, index) => {
    const before = fround(fround(score) - mean)
    mean = fround(mean + fround(before / (index + 1)))
    squares = fround(squares + fround(before * fround(fround(score) - mean)))
  })
  const spread = list.length < 2 ? 0 : fround(3 * fround(Math.sqrt(fround(squares / (list.length - 1)))))
  const least = fround(mean - spread)
  const range = fround(fround(mean + spread) - least)
  return score => (range === 0 ? 0.5 : fround(fround(fround(score) - least) / range))
}
