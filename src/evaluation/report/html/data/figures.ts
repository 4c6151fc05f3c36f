import { type BootstrapOptions, type Interval, pairedInterval } from '../../../metrics/bootstrap.ts'
import { kneeOfCurve, percentile } from '../../../metrics/context.ts'
import { MEASURES, type MeasureName } from '../../../metrics/measures.ts'
import type { QueryResult, ReplayReport, SetResult } from '../../../replay/results.ts'
import type { Curve, Effect, Estimate, StageTime, Verdict } from '../report-data.ts'

/** Places of the sets that a figure is the mean of. Null: all sets, which is left out when there is only one. */
type Slice = { set: number | null; sets: readonly SetResult[] }

export function slicesOf({ sets }: ReplayReport): Slice[] {
  const single = sets.map((set, index) => ({ set: index, sets: [set] }))
  return sets.length > 1 ? [{ set: null, sets }, ...single] : single
}

/** The mean of each measure by budget, with pointwise 95 % intervals over queries. */
export function curvesOf(
  report: ReplayReport,
  measures: readonly MeasureName[],
  bootstrap: BootstrapOptions,
): Curve[] {
  return measures.flatMap((measure, at) =>
    slicesOf(report).flatMap(({ set, sets }) =>
      report.arms.map(({ name }, arm) => {
        const points = report.budgets.map(budget =>
          estimateOf(
            sets.map(({ queries }) => queries.flatMap(query => valueOf(query, name, budget, measure) ?? [])),
            bootstrap,
          ),
        )
        return { measure: at, arm, set, points, knee: kneeOf(report.budgets, points, measure) }
      }),
    ),
  )
}

/** The difference of each arm to the reference, by query, at each budget and on average. */
export function effectsOf(
  report: ReplayReport,
  measures: readonly MeasureName[],
  reference: number,
  bootstrap: BootstrapOptions,
): Effect[] {
  const against = report.arms[reference]?.name ?? ''
  const spans: { budget: number | null; budgets: readonly number[] }[] = [
    { budget: null, budgets: report.budgets },
    ...report.budgets.map(budget => ({ budget, budgets: [budget] })),
  ]
  return measures.flatMap((measure, at) =>
    slicesOf(report).flatMap(({ set, sets }) =>
      report.arms.flatMap(({ name }, arm) => {
        if (arm === reference) return []
        return spans.flatMap(({ budget, budgets }) => {
          const differences = sets.map(({ queries }) =>
            queries.flatMap(query => differenceOf(query, [name, against], budgets, measure) ?? []),
          )
          const estimate = estimateOf(differences, bootstrap)
          if (!estimate) return []
          return [{ measure: at, arm, set, budget, ...estimate, verdict: verdictOf(estimate, MEASURES[measure].better) }]
        })
      }),
    ),
  )
}

/** Median and 95th percentile of each stage over all queries and budgets of an arm, and of the whole. */
export function stageTimesOf(report: ReplayReport): StageTime[] {
  return report.arms.flatMap(({ name }, arm) => {
    const runs = report.sets.flatMap(({ queries }) => queries.flatMap(query => Object.values(query.arms[name] ?? {})))
    const stages = [...new Set(runs.flatMap(({ stageMs }) => Object.keys(stageMs)))]
    const timed = [
      ...stages.map(stage => ({ stage, times: runs.flatMap(({ stageMs }) => stageMs[stage] ?? []) })),
      { stage: 'total', times: runs.map(({ ms }) => ms) },
    ]
    return timed.map(({ stage, times }) => ({
      arm,
      stage,
      p50: percentile(times, 0.5) ?? 0,
      p95: percentile(times, 0.95) ?? 0,
      runs: times.length,
    }))
  })
}

/** An interval that contains 0 proves nothing. */
export function verdictOf({ low, high }: Estimate, better: 'higher' | 'lower'): Verdict {
  if (low <= 0 && high >= 0) return 'unproven'
  return low > 0 === (better === 'higher') ? 'helps' : 'hurts'
}

function estimateOf(sets: readonly (readonly number[])[], bootstrap: BootstrapOptions): Estimate | null {
  const measured = sets.filter(set => set.length > 0)
  if (measured.length === 0) return null
  const { mean, low, high }: Interval = pairedInterval(measured, bootstrap)
  return { mean, low, high }
}

function differenceOf(
  query: QueryResult,
  [arm, against]: readonly [string, string],
  budgets: readonly number[],
  measure: MeasureName,
): number | null {
  let sum = 0
  for (const budget of budgets) {
    const [value, other] = [valueOf(query, arm, budget, measure), valueOf(query, against, budget, measure)]
    if (value === null || other === null) return null
    sum += value - other
  }
  return sum / budgets.length
}

function valueOf({ arms }: QueryResult, arm: string, budget: number, measure: MeasureName): number | null {
  return arms[arm]?.[budget]?.measures[measure] ?? null
}

/** Measures of which more is better rise with the budget; the others have no knee. */
function kneeOf(budgets: readonly number[], points: readonly (Estimate | null)[], measure: MeasureName): number | null {
  if (MEASURES[measure].better === 'lower' || points.includes(null)) return null
  return kneeOfCurve(budgets.map((budget, index) => ({ budget, recall: points[index]?.mean ?? 0 })))
}
