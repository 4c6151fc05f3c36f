import type { EffectVerdict } from '../core/vocabulary.ts'
import { type BootstrapOptions, type Interval, pairedInterval } from './bootstrap.ts'
import { holm } from './holm.ts'
import type { QuerySets } from './macro-mean.ts'
import { pairedRandomizationTest } from './randomization.ts'
import { DEFAULT_SEED } from './seeded-random.ts'
import { smallestEffect } from './smallest-effect.ts'

/** The field's usual level for a difference; the default intervals have the same. */
const SIGNIFICANT_BELOW = 0.05

/** What is known of the difference between two arms. */
export interface Comparison {
  difference: Interval
  /** Two-sided p value of the paired randomization test. */
  p: number
  /** The p value adjusted for the number of comparisons made together. */
  adjustedP: number
  /** The smallest true difference that these queries would have shown, before the adjustment; null when it is unknown. */
  smallestEffect: number | null
  verdict: EffectVerdict
}

/**
 * Compares several arms or rules with the same reference. `differences` has by the name of each arm its differences to the reference, by
 * set and query. The p values are adjusted for the number of arms by Holm's method.
 * @throws RangeError when a set has no queries, or when a difference is not finite
 */
export function compareTogether(
  differences: ReadonlyMap<string, QuerySets>,
  options: Partial<BootstrapOptions> = {},
): Map<string, Comparison> {
  const { seed = DEFAULT_SEED } = options
  const arms = [...differences].map(([arm, sets]) => ({ arm, sets, p: pairedRandomizationTest(sets, { seed }) }))
  const adjusted = holm(arms.map(({ p }) => p))
  return new Map(
    arms.map(({ arm, sets, p }, index) => {
      const difference = pairedInterval(sets, options)
      const adjustedP = adjusted[index] ?? 1
      const verdict = verdictOf(difference, adjustedP)
      return [arm, { difference, p, adjustedP, smallestEffect: smallestEffect(sets), verdict }]
    }),
  )
}

/**
 * Says whether a rule helps, for a measure of which more is better. Both figures must agree: the test holds for few differences, where
 * the interval is too narrow, and a verdict beside an interval that contains 0 would not be believed.
 * @param adjustedP two-sided p value, adjusted when several rules are compared
 */
export function verdictOf({ low, high }: Pick<Interval, 'low' | 'high'>, adjustedP: number): EffectVerdict {
  if (!(adjustedP < SIGNIFICANT_BELOW)) return 'unproven'
  return low > 0 ? 'helps' : high < 0 ? 'hurts' : 'unproven'
}
