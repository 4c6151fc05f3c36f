/** A threshold may judge one question in so many wrong. */
const ONE_IN = 20
/** The same as a share, in [0,1]. */
export const MOST_WRONG = 1 / ONE_IN

/**
 * The fewest questions that can choose a threshold. A new question falls below the lowest of n questions of its kind with the probability
 * 1 ÷ (n + 1), and for fewer than these that is more than 5 %.
 */
export const LEAST_QUESTIONS = ONE_IN - 1

export const isEnough = (questions: number): boolean => questions >= LEAST_QUESTIONS

/** Thresholds have two decimals. */
const STEPS = 100
/** The largest threshold up to a probability, in steps. Probabilities have four decimals, so the rounding undoes only the noise of doubles: .29 · 100 < 29. */
const stepsTo = (probability: number): number => Math.floor(Number((probability * STEPS).toFixed(6)))

/**
 * The largest threshold with at most 5 % of new questions below it, when they are of the kind of these (split conformal prediction,
 * Papadopoulos et al. 2002); null for too few.
 */
export function thresholdBelow(probabilities: readonly number[]): number | null {
  const lowest = probabilities.toSorted((left, right) => left - right)[allowedOf(probabilities)]
  return lowest === undefined ? null : stepsTo(lowest) / STEPS
}

/** The smallest threshold that at most 5 % of new questions reach; null for too few, and where only a threshold above 1 would do. */
export function thresholdAbove(probabilities: readonly number[]): number | null {
  const highest = probabilities.toSorted((left, right) => right - left)[allowedOf(probabilities)]
  if (highest === undefined) return null
  const threshold = (stepsTo(highest) + 1) / STEPS
  return threshold > 1 ? null : threshold
}

/** How many of the questions that choose a threshold may be judged wrong by it. Negative for too few. */
const allowedOf = ({ length }: readonly number[]): number => Math.floor((length + 1) / ONE_IN) - 1
