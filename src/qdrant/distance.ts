/** Whether scores are distances: the nearest point has the smallest one. */

/** By the metric of the vector, where it is known (`Cosine`, `Dot`, `Euclid`, `Manhattan`). */
export function isDistanceMetric(metric: string): boolean {
  return metric === 'Euclid' || metric === 'Manhattan'
}

/** By the order of a ranked list, best first, where the metric is not known. Equal scores count as similarities. */
export function hasRisingScores(points: readonly { score: number }[]): boolean {
  return (points.at(0)?.score ?? 0) < (points.at(-1)?.score ?? 0)
}
