import jstat from 'jstat'

/** Above this many degrees of freedom Student's t is taken as normal: the two differ by less than 1e-5, and jStat is no longer exact. */
const NORMAL_FROM = 10_000

/** P(Z ≤ z) of the standard normal distribution. */
export function normalBelow(z: number): number {
  return z === Number.POSITIVE_INFINITY ? 1 : z === Number.NEGATIVE_INFINITY ? 0 : jstat.normal.cdf(z, 0, 1)
}

/** The z with P(Z ≤ z) = `share`, for a share in (0,1). */
export function normalQuantile(share: number): number {
  return jstat.normal.inv(share, 0, 1)
}

/** P(T ≤ t) of Student's t. `freedom`: degrees of freedom, above 0, not necessarily whole. */
export function studentBelow(t: number, freedom: number): number {
  return freedom >= NORMAL_FROM || !Number.isFinite(t) ? normalBelow(t) : jstat.studentt.cdf(t, freedom)
}

/** The t with P(T ≤ t) = `share`, for a share in (0,1). */
export function studentQuantile(share: number, freedom: number): number {
  return freedom >= NORMAL_FROM ? normalQuantile(share) : jstat.studentt.inv(share, freedom)
}

/** The p value of a test statistic whose sign is free. */
export function studentTwoSided(t: number, freedom: number): number {
  return Math.min(1, 2 * studentBelow(-Math.abs(t), freedom))
}

/** P(X ≥ value) of the chi-squared distribution. */
export function chiSquaredAbove(value: number, freedom: number): number {
  return value === Number.POSITIVE_INFINITY ? 0 : Math.max(0, 1 - jstat.chisquare.cdf(value, freedom))
}
