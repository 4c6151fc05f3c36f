/** How a grade becomes a gain: `linear` is the grade itself (trec_eval), `exponential` is `2^grade − 1` (Burges et al. 2005). */
export type Gain = 'linear' | 'exponential'

/**
 * Normalised discounted cumulative gain of the first `k` places: `Σ gain(gradeᵢ) / log2(i + 1)`, i from 1, ÷ the same sum over the best
 * possible order (Järvelin & Kekäläinen 2002). In [0,1]; grades below 0 gain nothing; 0 when no judged grade is above 0.
 * @param grades grades of the ranked items, best place first; 0 where unjudged
 * @param judged every grade that is known of the query, also of items that were not retrieved
 */
export function ndcgAt(k: number, grades: readonly number[], judged: readonly number[], gain: Gain = 'linear'): number {
  const best = discountedGain(
    k,
    [...judged].sort((left, right) => right - left),
    gain,
  )
  return best === 0 ? 0 : discountedGain(k, grades, gain) / best
}

/**
 * Share of the relevant items that stand among the first `k`, in [0,1].
 * @param total relevant items there are, retrieved or not; throws `RangeError` when there are none
 */
export function recallAt(k: number, relevant: readonly boolean[], total: number): number {
  if (total <= 0) throw new RangeError('a query without relevant items has no recall')
  return relevant.slice(0, k).filter(Boolean).length / total
}

/** Places of the scores, best first; equal ones keep their order, those without a score come last. */
export function rankingOf(scores: ArrayLike<number | null>): number[] {
  const value = (place: number) => scores[place] ?? Number.NEGATIVE_INFINITY
  return Array.from(scores, (_, place) => place).sort((left, right) => {
    const [a, b] = [value(left), value(right)]
    return a === b ? left - right : b - a
  })
}

function discountedGain(k: number, grades: readonly number[], gain: Gain): number {
  return grades.slice(0, k).reduce((sum, grade, index) => {
    const worth = Math.max(0, grade)
    return sum + (gain === 'linear' ? worth : 2 ** worth - 1) / Math.log2(index + 2)
  }, 0)
}
