import { chiSquaredAbove } from '../../statistics/distributions.ts'

/** Below this p value the split of the units is not the declared one: something loses or moves units of one variant. */
export const MISMATCH_BELOW = 0.001
/** The chi-squared distribution is a good approximation from this expected number of units of each variant. */
const LEAST_EXPECTED = 5

export interface SampleRatio {
  variant: string
  units: number
  /** Units that the share of the variant lets expect. */
  expected: number
}

/**
 * Compares the numbers of units with the declared shares by the chi-squared test of goodness of fit (Fabijan et al., "Diagnosing sample
 * ratio mismatch in online controlled experiments", KDD 2019). Shares that sum to less than 1 leave a part for variants of which no
 * unit was seen at all, and that counts too.
 * @returns p is null when too few units are expected for a test
 */
export function sampleRatio(counts: readonly { variant: string; units: number; share: number }[]): {
  ratios: SampleRatio[]
  p: number | null
} {
  const units = counts.reduce((sum, count) => sum + count.units, 0)
  const declared = counts.reduce((sum, count) => sum + count.share, 0)
  const whole = Math.max(1, declared)
  const ratios = counts.map(({ variant, units: seen, share }) => ({
    variant,
    units: seen,
    expected: (units * share) / whole,
  }))
  const unseen = units * (1 - declared / whole)
  const cells = [...ratios, ...(unseen > 1e-3 * units ? [{ units: 0, expected: unseen }] : [])]
  if (cells.length < 2 || cells.some(({ expected }) => expected < LEAST_EXPECTED)) return { ratios, p: null }
  const statistic = cells.reduce((sum, { units: seen, expected }) => sum + (seen - expected) ** 2 / expected, 0)
  return { ratios, p: chiSquaredAbove(statistic, cells.length - 1) }
}
