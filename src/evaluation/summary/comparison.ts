import { type BootstrapOptions, type Interval, pairedInterval } from '../../statistics/bootstrap.ts'

/** What is known of the difference between two arms. The p values and the smallest effect come with the statistics of the next merge. */
export interface Comparison {
  difference: Interval
  p: number
  adjustedP: number
  smallestEffect: number | null
  verdict: 'helps' | 'hurts' | 'unproven'
}

export function compareTogether(
  differences: ReadonlyMap<string, readonly (readonly number[])[]>,
  options: BootstrapOptions,
): Map<string, Comparison> {
  return new Map(
    [...differences].map(([arm, sets]) => {
      const difference = pairedInterval(sets, options)
      const verdict = difference.low > 0 ? 'helps' : difference.high < 0 ? 'hurts' : 'unproven'
      return [arm, { difference, p: 1, adjustedP: 1, smallestEffect: null, verdict }]
    }),
  )
}
