import { type FusionRule, fuse, type Ranked, sumByKey } from '../../qdrant/fusion.ts'

/** One ranked list of Qdrant, best first. */
export interface ScoredList {
  points: Ranked<string>[]
  /** Number of points that the client's own request asks of this list. */
  asked: number
}

/**
 * The scores that Qdrant gives to the client's own request, by point key. Points of a single search keep their score. Fused
 * points get Qdrant's sum over the asked part of each list. Points below that part get the same sum over the whole lists, but at
 * most the least score of the others.
 */
export function ownScores(lists: readonly ScoredList[], fusion: FusionRule | null): Map<string, number> {
  const deep = lists.map(list => list.points)
  if (fusion === null) return sumByKey(deep)
  const asked = lists.map(list => list.points.slice(0, list.asked))
  const own = fuse(asked, fusion)
  const floor = Math.min(...own.values())
  for (const [key, score] of fuse(deep, fusion, asked)) if (!own.has(key)) own.set(key, Math.min(score, floor))
  return own
}

/**
 * Scores for an answer in a new order: the scores of the chosen points, sorted best first. Neighbours have no score (null); the
 * list then ends with repetitions of the worst score.
 * @param distance whether smaller scores are better
 */
export function reassignScores(own: readonly (number | null)[], { distance }: { distance: boolean }): number[] {
  const known = own.filter(score => score !== null)
  const sorted = known.sort((a, b) => (distance ? a - b : b - a))
  return own.map((_, place) => sorted[place] ?? sorted.at(-1) ?? 0)
}
