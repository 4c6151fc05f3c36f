import type { PointId } from '../../core/types.ts'
import type { Pace } from '../pace.ts'
import type { RankedPoint } from './top-hits.ts'

/** Maximal marginal relevance: `lambda` is the share of relevance in [0, 1], `candidates` the number of nearest points to choose from. */
export interface Diversity {
  lambda: number
  candidates: number
}

/**
 * Chooses the first candidate, then repeatedly the one with the largest
 * `lambda · value − (1 − lambda) · largest similarity to a chosen one`. Candidates are sorted by value; ties keep their order.
 */
export async function selectDiverse(
  candidates: readonly RankedPoint[],
  lambda: number,
  limit: number,
  similarity: (left: PointId, right: PointId) => number,
  pace: Pace,
): Promise<RankedPoint[]> {
  const rest = candidates.map(candidate => ({ candidate, nearest: 0 }))
  const chosen: RankedPoint[] = []
  const worth = ({ candidate, nearest }: (typeof rest)[number]) => lambda * candidate.value - (1 - lambda) * nearest
  while (chosen.length < limit) {
    const [taken] = rest.splice(indexOfLargest(rest.map(worth)), 1)
    if (taken === undefined) break
    for (const item of rest) {
      if (pace.isDue()) await pace.rest()
      const value = similarity(taken.candidate.id, item.candidate.id)
      item.nearest = chosen.length === 0 ? value : Math.max(item.nearest, value)
    }
    chosen.push(taken.candidate)
  }
  return chosen
}

/** The first of equal values. */
function indexOfLargest(values: readonly number[]): number {
  return values.reduce((best, value, index) => (value > (values[best] ?? 0) ? index : best), 0)
}
