import type { MeasureName } from '../metrics/measures.ts'
import type { ReplayReport } from '../replay/results.ts'
import { differenceOf, measureOf } from './values.ts'

/** A query on which an arm differs from the reference arm. */
export interface QueryChange {
  set: string
  id: string
  query: string
  /** The measure under the arm and under the reference arm, mean over the budgets. */
  value: number
  other: number
  /** `value − other`. */
  difference: number
}

/**
 * The queries on which an arm differs from the reference arm, largest difference first, whatever its sign.
 * @param budgets as text; the mean over them counts
 */
export function queryChanges(
  { sets }: ReplayReport,
  pair: { arm: string; against: string },
  measure: MeasureName,
  budgets: readonly string[],
): QueryChange[] {
  const changes = sets.flatMap(({ name, queries }) =>
    queries.flatMap(query => {
      const difference = differenceOf(query, pair, measure, budgets)
      if (difference === null || difference === 0) return []
      const [value, other] = [pair.arm, pair.against].map(arm => measureOf(query, arm, measure, budgets) ?? 0)
      return [{ set: name, id: query.id, query: query.query, value: value ?? 0, other: other ?? 0, difference }]
    }),
  )
  return changes.sort((left, right) => Math.abs(right.difference) - Math.abs(left.difference))
}
