import { chiSquaredAbove } from '../../statistics/distributions.ts'
import { shownNumber } from '../../text/printable.ts'

/** Below this p value the variants lost different shares of their requests. */
export const UNEQUAL_LOSS_BELOW = 0.001
/** The chi-squared distribution is a good approximation from this expected number of lost requests of each variant. */
const LEAST_EXPECTED = 5

interface VariantLoss {
  variant: string
  read: number
  lost: number
}

export interface Losses {
  /** In the order of the variants. */
  variants: VariantLoss[]
  /** p value of equal shares of lost requests; null when too few were lost for a test. */
  p: number | null
}

/**
 * Compares the shares of lost requests by the chi-squared test of homogeneity. It takes requests for independent, and those of a session
 * are not: so it finds a difference rather too early, which is the safe side.
 */
export function compareLosses(variants: VariantLoss[]): Losses {
  const lost = variants.reduce((sum, variant) => sum + variant.lost, 0)
  const all = variants.reduce((sum, { read }) => sum + read, lost)
  const share = lost / all
  const cells = variants.map(({ read, lost: own }) => ({ own, expected: (read + own) * share }))
  if (share === 1 || cells.length < 2 || cells.some(({ expected }) => !(expected >= LEAST_EXPECTED)))
    return { variants, p: null }
  const statistic = cells.reduce((sum, { own, expected }) => sum + (own - expected) ** 2 / expected, 0) / (1 - share)
  return { variants, p: chiSquaredAbove(statistic, cells.length - 1) }
}

/** `control lost 12 of 340, sentences 80 of 360`. */
export function lossText({ variants }: Losses): string {
  const parts = variants.map(
    ({ variant, read, lost }) => `${variant} ${shownNumber(lost)} of ${shownNumber(read + lost)}`,
  )
  return parts.join(', ')
}
