import { type FusionRule, fuse, type Ranked, sumByKey } from '../../qdrant/fusion.ts'

/** One ranked list as Qdrant gave it: best first. */
export interface ScoredList {
  points: Ranked<string>[]
  /** How many of them Qdrant would have seen, had the client asked it directly. */
  asked: number
}

/**
 * The score that Qdrant itself would have given each point of the lists, by point key.
 *
 * A single search's points keep their own score. Fused points get Qdrant's sum over what the client asked of each list. A
 * point that only the deeper lists hold has no score there: it gets the same formula's value, but never more than the least
 * of the others.
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
 * Scores for an answer in a new order: the chosen points' own scores, sorted best first and handed out down the list.
 * A point without a score (a neighbour, null) takes the worst of the others.
 *
 * @param distance whether small scores are the good ones
 */
export function reassignScores(own: readonly (number | null)[], { distance }: { distance: boolean }): number[] {
  const known = own.filter(score => score !== null)
  const sorted = known.sort((a, b) => (distance ? a - b : b - a))
  return own.map((_, place) => sorted[place] ?? sorted.at(-1) ?? 0)
}
