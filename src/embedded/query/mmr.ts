import type { RankedRow } from './top-hits.ts'

/**
 * Maximal marginal relevance: after the most similar candidate, again and again the one with the largest
 * `λ·similarity(query) − (1 − λ)·max similarity(chosen)`. Candidates come best first; ties keep their order.
 */
export function selectDiverse(
  candidates: RankedRow[],
  lambda: number,
  limit: number,
  similarity: (left: number, right: number) => number,
): RankedRow[] {
  const rest = candidates.map(candidate => ({ candidate, nearest: Number.NEGATIVE_INFINITY }))
  const chosen: RankedRow[] = []
  while (chosen.length < limit && rest.length > 0) {
    let best = 0
    if (chosen.length > 0) {
      const worth = rest.map(({ candidate, nearest }) => lambda * candidate.value - (1 - lambda) * nearest)
      for (let i = 1; i < worth.length; i++) if ((worth[i] as number) > (worth[best] as number)) best = i
    }
    const [taken] = rest.splice(best, 1)
    if (taken === undefined) break
    chosen.push(taken.candidate)
    for (const item of rest) {
      item.nearest = Math.max(item.nearest, similarity(taken.candidate.row, item.candidate.row))
    }
  }
  return chosen
}
