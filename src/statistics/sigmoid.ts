/** The probability of a logit, in [0,1]. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}
