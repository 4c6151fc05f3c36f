import type { RankedRow } from './top-hits.ts'

/** Maximal marginal relevance: `lambda` is the share of relevance in [0, 1], `candidates` how many of the nearest it chooses among. */
export interface Diversity {
  lambda: number
  candidates: number
}

/**
 * Takes the most similar candidate, then again and again the one with the largest
 * `lambda · value − (1 − lambda) · largest similarity to a chosen one`. Candidates come best first; ties keep their order.
 */
export function selectDiverse(
  candidates: readonly RankedRow[],
  lambda: number,
  limit: number,
  similarity: (left: number, right: number) => number,
): RankedRow[] {
  const rest = candidates.map(candidate => ({ candidate, nearest: 0 }))
  const chosen: RankedRow[] = []
  const worth = ({ candidate, nearest }: (typeof rest)[number]) => lambda * candidate.value - (1 - lambda) * nearest
  while (chosen.length < limit) {
    const [taken] = rest.splice(indexOfLargest(rest.map(worth)), 1)
    if (taken === undefined) break
    for (const item of rest) {
      const value = similarity(taken.candidate.row, item.candidate.row)
      item.nearest = chosen.length === 0 ? value : Math.max(item.nearest, value)
    }
    chosen.push(taken.candidate)
  }
  return chosen
}

/** The first of equals. */
function indexOfLargest(values: readonly number[]): number {
  return values.reduce((best, value, index) => (value > (values[best] ?? 0) ? index : best), 0)
}
