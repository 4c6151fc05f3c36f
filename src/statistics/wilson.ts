import { normalQuantile } from './distributions.ts'

/**
 * Interval of a share (Wilson 1927), in [0,1]. It holds for small numbers and for shares near 0 and 1, too.
 * @param hits of `total`, which is above 0
 */
export function wilsonInterval(hits: number, total: number, confidence = 0.95): { low: number; high: number } {
  const z = normalQuantile(0.5 + confidence / 2)
  const share = hits / total
  const middle = share + z ** 2 / (2 * total)
  const reach = z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2))
  const whole = 1 + z ** 2 / total
  return { low: Math.max(0, (middle - reach) / whole), high: Math.min(1, (middle + reach) / whole) }
}
