import { meanOrNull } from '../../statistics/sample.ts'
import type { RunFigures } from '../metrics/measure-run.ts'
import type { MeasureName } from '../metrics/measures.ts'
import type { QueryResult } from '../replay/results.ts'
import type { Slice } from './slices.ts'

/**
 * The runs of a query under an arm, one for each budget.
 * @throws RangeError for an arm or budget that was not run
 */
export function runsOf(query: QueryResult, arm: string, budgets: readonly string[]): RunFigures[] {
  return budgets.map(budget => {
    const figures = query.arms[arm]?.[budget]
    if (!figures) throw new RangeError(`query ${query.id} has no figures for arm ${arm} at budget ${budget}`)
    return figures
  })
}

/** The measure of one query: its mean over the budgets that have a value; null without one. */
export function measureOf(
  query: QueryResult,
  arm: string,
  measure: MeasureName,
  budgets: readonly string[],
): number | null {
  return meanOrNull(runsOf(query, arm, budgets).flatMap(({ measures }) => measures[measure] ?? []))
}

/** The measure of one query under `arm` minus that under `against`, mean over the budgets at which both have a value; null without one. */
export function differenceOf(
  query: QueryResult,
  { arm, against }: { arm: string; against: string },
  measure: MeasureName,
  budgets: readonly string[],
): number | null {
  const others = runsOf(query, against, budgets)
  const differences = runsOf(query, arm, budgets).flatMap(({ measures }, at) => {
    const [value, other] = [measures[measure], others[at]?.measures[measure]]
    return value == null || other == null ? [] : [value - other]
  })
  return meanOrNull(differences)
}

/** Pairs of a query and a budget at which some of the arms have a value and others have none. Arms without any value do not count. */
export function unpairedOf(
  slice: Slice,
  arms: readonly string[],
  measure: MeasureName,
  budgets: readonly string[],
): number {
  const queries = slice.sets.flatMap(set => set.queries)
  const measured = arms.filter(arm => queries.some(query => measureOf(query, arm, measure, budgets) !== null))
  const places = queries.flatMap(query => budgets.map(budget => ({ query, budget })))
  return places.filter(({ query, budget }) => {
    const found = measured.filter(arm => measureOf(query, arm, measure, [budget]) !== null)
    return found.length > 0 && found.length < measured.length
  }).length
}

/** One value for each query of a slice, by set. Queries without a value are left out, and sets without queries. */
export function byQuery(slice: Slice, valueOfQuery: (query: QueryResult) => number | null): number[][] {
  return slice.sets
    .map(({ queries }) => queries.flatMap(query => valueOfQuery(query) ?? []))
    .filter(values => values.length > 0)
}
