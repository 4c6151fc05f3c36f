import { normalQuantile } from './distributions.ts'

/** Standard deviations of a 95 % interval. */
const Z = normalQuantile(0.975)

/**
 * The 95 % interval of a share (Wilson 1927), in [0,1]. It holds for small numbers and for shares near 0 and 1, too.
 * @param hits of `total`, which is above 0
 */
export function wilsonInterval(hits: number, total: number): { low: number; high: number } {
  const share = hits / total
  const middle = share + Z ** 2 / (2 * total)
  const reach = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2))
  const whole = 1 + Z ** 2 / total
  return { low: Math.max(0, (middle - reach) / whole), high: Math.min(1, (middle + reach) / whole) }
}
