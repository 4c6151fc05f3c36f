import type { Trace } from '../../../../pipeline/trace/schema.ts'
import type { GoldenQuery } from '../../../golden-set/golden-set.ts'
import type { MeasureName } from '../../../metrics/measures.ts'
import type { QueryDetails, QueryResult, ReplayReport } from '../../../replay/results.ts'
import type { QueryRow, Waterfall } from '../report-data.ts'

/** The figures of one query. What its details add comes later, see {@link waterfallsOf}. */
export function queryRow(
  query: QueryResult,
  set: number,
  golden: Pick<GoldenQuery, 'answer'> | undefined,
  { arms, budgets }: ReplayReport,
  measures: readonly MeasureName[],
): QueryRow {
  const runs = arms.map(({ name }) => budgets.map(budget => query.arms[name]?.[budget]))
  return {
    set,
    id: query.id,
    query: query.query.toWellFormed(),
    answer: golden?.answer?.toWellFormed() ?? null,
    intent: query.intent,
    grade: query.grade,
    golds: query.golds,
    figures: runs.map(ofArm => ofArm.map(run => measures.map(measure => rounded(run?.measures[measure])))),
    ms: runs.map(ofArm => ofArm.map(run => rounded(run?.ms) ?? 0)),
    degraded: [...new Set(runs.flat().flatMap(run => run?.degraded ?? []))],
    waterfall: runs.map(ofArm => ofArm.map(() => null)),
    contexts: null,
    candidates: null,
  }
}

/** Where the candidates went, by arm and budget. */
export function waterfallsOf(details: QueryDetails, { arms, budgets }: ReplayReport): (Waterfall | null)[][] {
  return arms.map(({ name }) =>
    budgets.map(budget => {
      const trace = details.arms[name]?.[budget]?.trace
      return trace ? waterfallOf(trace) : null
    }),
  )
}

function waterfallOf({ candidates, budget }: Pick<Trace, 'candidates' | 'budget'>): Waterfall {
  const dropped: Record<string, number> = {}
  for (const { reason } of candidates) if (reason !== null) dropped[reason] = (dropped[reason] ?? 0) + 1
  const countOf = (from: Trace['candidates'][number]['origin']) =>
    candidates.filter(({ origin }) => origin === from).length
  return {
    retrieved: countOf('retrieved'),
    neighbours: countOf('neighbour'),
    parents: countOf('parent'),
    dropped,
    packed: candidates.filter(({ decision }) => decision === 'packed').length,
    used: budget.used,
  }
}

/** Five digits are more than any figure on the page shows. */
function rounded(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value.toPrecision(5))
}
