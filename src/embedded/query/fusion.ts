/** A row with the score that an answer carries, best first in its list. */
export interface Hit {
  row: number
  score: number
}

/**
 * Reciprocal rank fusion as Qdrant counts it: `1/((rank₀ + 1)/weight + k − 1)` summed over the lists, rank₀ from 0;
 * a weight of 0 or less adds nothing. Without weights that is `1/(rank₀ + k)`.
 */
export function reciprocalRankFusion(lists: Hit[][], k: number, weights?: number[]): Map<number, number> {
  return sumOver(lists, (_hit, rank, list) => {
    const weight = weights?.[list] ?? 1
    return weight > 0 ? 1 / ((rank + 1) / weight + k - 1) : 0
  })
}

/** Distribution-based score fusion: each list scaled by mean ± 3 sample deviations to [0, 1] (not clamped), then summed. */
export function distributionFusion(lists: Hit[][]): Map<number, number> {
  const spreads = lists.map(spread)
  return sumOver(lists, (hit, _rank, list) => {
    const { mean, deviation } = spreads[list] ?? { mean: 0, deviation: 0 }
    return deviation === 0 ? 0.5 : (hit.score - (mean - 3 * deviation)) / (6 * deviation)
  })
}

function sumOver(lists: Hit[][], share: (hit: Hit, rank: number, list: number) => number): Map<number, number> {
  const sums = new Map<number, number>()
  lists.forEach((hits, list) => {
    hits.forEach((hit, rank) => {
      sums.set(hit.row, Math.fround((sums.get(hit.row) ?? 0) + Math.fround(share(hit, rank, list))))
    })
  })
  return sums
}

function spread(hits: Hit[]): { mean: number; deviation: number } {
  let mean = 0
  let squares = 0
  hits.forEach((hit, index) => {
    const delta = hit.score - mean
    mean += delta / (index + 1)
    squares += delta * (hit.score - mean)
  })
  return { mean, deviation: hits.length < 2 ? 0 : Math.sqrt(squares / (hits.length - 1)) }
}
