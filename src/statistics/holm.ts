/**
 * Adjusts p values for their number by Holm's step-down method (1979): with all adjusted values at or below alpha called different, the
 * probability of one or more false alarms is at most alpha, however the measures hang together.
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((left, right) => (values[left] ?? 1) - (values[right] ?? 1))
  const adjusted: number[] = new Array(values.length).fill(1)
  let highest = 0
  order.forEach((index, rank) => {
    highest = Math.min(1, Math.max(highest, (values[index] ?? 1) * (values.length - rank)))
    adjusted[index] = highest
  })
  return adjusted
}
