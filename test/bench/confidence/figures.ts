/** Area under the ROC curve: how often a positive has a larger score than a negative, in [0,1]; ties count half. */
export function auroc(positives: readonly number[], negatives: readonly number[]): number {
  const wins = positives.map(one =>
    negatives.reduce((sum, other) => sum + (one > other ? 1 : one === other ? 0.5 : 0), 0),
  )
  return wins.reduce((sum, win) => sum + win, 0) / (positives.length * negatives.length)
}

/** The largest threshold that is needed to leave this share of the negatives below it. */
export function thresholdOf(negatives: readonly number[], share: number): number {
  const sorted = [...negatives].sort((left, right) => left - right)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0
}

/** Points of recall that questions at or below a threshold had. */
export function recallLost(questions: readonly { score: number; recall: number }[], threshold: number): number {
  return 100 * mean(questions.map(({ score, recall }) => (score <= threshold ? recall : 0)))
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length
