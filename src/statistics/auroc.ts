/** Area under the ROC curve: how often a positive has a larger score than a negative, in [0,1]; ties count half. NaN without one of them. */
export function auroc(positives: readonly number[], negatives: readonly number[]): number {
  const wins = positives.map(one =>
    negatives.reduce((sum, other) => sum + (one > other ? 1 : one === other ? 0.5 : 0), 0),
  )
  return wins.reduce((sum, win) => sum + win, 0) / (positives.length * negatives.length)
}
