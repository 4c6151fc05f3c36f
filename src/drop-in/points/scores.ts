import type { FusionRule } from '../query/understand.ts'

/** One ranked list as Qdrant gave it: best first. */
export interface ScoredList {
  points: { key: string; score: number }[]
  /** How many of them Qdrant would have seen, had the client asked it directly. */
  asked: number
}

/**
 * The score that Qdrant itself would have given each point of the lists, by point key.
 *
 * A single search's points keep their own. Fused ones get Qdrant's formulas (float32, over what the client asked of each list;
 * lib/segment/src/common/{reciprocal_rank_fusion,score_fusion}.rs at v1.19.0). A point that only the deeper lists
 * know has none: it gets the same formula's value there, but never more than the least of the others.
 */
export function ownScores(lists: readonly ScoredList[], fusion: FusionRule | null): Map<string, number> {
  if (fusion === null) return sumByPoint(lists.map(list => list.points))
  const asked = lists.map(list => ({ ...list, points: list.points.slice(0, list.asked) }))
  const own = sumByPoint(fuse(asked, asked, fusion))
  const floor = Math.min(...own.values())
  for (const [key, score] of sumByPoint(fuse(lists, asked, fusion)))
    if (!own.has(key)) own.set(key, Math.min(score, floor))
  return own
}

/**
 * Scores for an answer in a new order: the chosen points' own scores, sorted best first and handed out down the list.
 * A point without a score (a neighbour, null) takes the worst of the others.
 *
 * @param distance whether small scores are the good ones
 */
export function handOutScores(own: readonly (number | null)[], { distance }: { distance: boolean }): number[] {
  const known = own.filter(score => score !== null)
  const sorted = known.sort((a, b) => (distance ? a - b : b - a))
  return own.map((_, place) => sorted[place] ?? sorted.at(-1) ?? 0)
}

/** A score as Qdrant prints it: the shortest decimal that reads back as the same float32, whole values with `.0`. */
export function printScore(score: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const shortened = Number(score.toPrecision(digits))
    if (Math.fround(shortened) === Math.fround(score)) return printFloat(shortened)
  }
  return printFloat(Number(score.toPrecision(9)))
}

function printFloat(value: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-6 || size >= 1e13)) return value.toExponential().replace('e+', 'e')
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

type Column = { key: string; score: number }[]

/** Each list's shares of the fused score; statistics are those of the lists as asked. */
function fuse(lists: readonly ScoredList[], asked: readonly ScoredList[], fusion: FusionRule): Column[] {
  return lists.map(({ points }, index) => {
    if (fusion.method === 'rrf') {
      const weight = fusion.weights?.[index] ?? 1
      return points.map(({ key }, place) => ({ key, score: reciprocalRank(place, fusion.k, weight) }))
    }
    const normalise = distributionOf(asked[index]?.points ?? [])
    return points.map(({ key, score }) => ({ key, score: normalise(score) }))
  })
}

function sumByPoint(columns: readonly Column[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const column of columns) {
    for (const { key, score } of column) sums.set(key, Math.fround((sums.get(key) ?? 0) + Math.fround(score)))
  }
  return sums
}

/** 1/((place + 1)/w + k − 1), places from 0; no weight, no share. */
function reciprocalRank(place: number, k: number, weight: number): number {
  if (weight <= 0) return 0
  const { fround } = Math
  return fround(1 / fround(fround(fround((place + 1) / fround(weight)) + k) - 1))
}

/** Distribution-based score fusion: (x − (μ − 3σ)) / 6σ with the sample deviation; .5 where there is no spread. */
function distributionOf(points: Column): (score: number) => number {
  const { fround } = Math
  let mean = 0
  let squares = 0
  points.forEach(({ score }, index) => {
    const before = fround(fround(score) - mean)
    mean = fround(mean + fround(before / (index + 1)))
    squares = fround(squares + fround(before * fround(fround(score) - mean)))
  })
  const spread = points.length < 2 ? 0 : fround(3 * fround(Math.sqrt(fround(squares / (points.length - 1)))))
  const least = fround(mean - spread)
  const range = fround(fround(mean + spread) - least)
  return score => (range === 0 ? 0.5 : fround(fround(fround(score) - least) / range))
}
