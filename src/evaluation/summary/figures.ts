import { type BootstrapOptions, pairedInterval } from '../../statistics/bootstrap.ts'
import { type Comparison, compareTogether } from '../../statistics/comparison.ts'
import { mean } from '../../statistics/sample.ts'
import { MEASURES, type MeasureName } from '../metrics/measures.ts'
import type { Slice } from './slices.ts'
import type { Figure } from './summary.ts'
import { byQuery, differenceOf, measureOf } from './values.ts'

interface FigureOptions {
  measure: MeasureName
  /** The budgets whose mean counts; one for the figures at a budget. */
  budgets: readonly string[]
  /** The arm that the others are compared with. */
  against: string
  /** Without intervals only means and numbers of queries are computed, which costs far less. */
  withIntervals: boolean
  bootstrap: BootstrapOptions
}

/** One measure of several arms on a slice. An arm without values is left out. */
export function figuresOf(slice: Slice, arms: readonly string[], options: FigureOptions): Map<string, Figure> {
  const { measure, budgets, withIntervals, bootstrap } = options
  const compared = withIntervals ? compareArms(slice, arms, options) : new Map<string, Comparison>()
  const figures = arms.flatMap((arm): [string, Figure][] => {
    const values = byQuery(slice, query => measureOf(query, arm, measure, budgets))
    if (values.length === 0) return []
    const n = values.reduce((sum, ofSet) => sum + ofSet.length, 0)
    const interval = withIntervals ? pairedInterval(values, bootstrap) : null
    return [[arm, { mean: mean(values.map(mean)), n, interval, against: compared.get(arm) ?? null }]]
  })
  return new Map(figures)
}

function compareArms(slice: Slice, arms: readonly string[], options: FigureOptions): Map<string, Comparison> {
  const { against } = options
  const others = arms.filter(arm => arm !== against)
  return comparePairs(slice, new Map(others.map(arm => [arm, { arm, against }])), options)
}

/**
 * Compares pairs of arms on one measure, paired by query. Differences are `arm − against` in the unit of the measure; the verdict knows
 * whether more is better. The p values are adjusted for the number of pairs. A pair without values is left out.
 */
export function comparePairs<Name extends string>(
  slice: Slice,
  pairs: ReadonlyMap<Name, { arm: string; against: string }>,
  { measure, budgets, bootstrap }: Pick<FigureOptions, 'measure' | 'budgets' | 'bootstrap'>,
): Map<Name, Comparison> {
  const differences = Array.from(pairs, ([name, pair]): [Name, number[][]] => [
    name,
    byQuery(slice, query => differenceOf(query, pair, measure, budgets)),
  ])
  const compared = compareTogether(new Map(differences.filter(([, sets]) => sets.length > 0)), bootstrap)
  return new Map(Array.from(compared, ([name, comparison]) => [name as Name, forMeasure(measure, comparison)]))
}

const OPPOSITE = { helps: 'hurts', hurts: 'helps', unproven: 'unproven' } as const

/** Turns the verdict over for a measure of which less is better. */
function forMeasure(measure: MeasureName, comparison: Comparison): Comparison {
  return MEASURES[measure].better === 'higher' ? comparison : { ...comparison, verdict: OPPOSITE[comparison.verdict] }
}
