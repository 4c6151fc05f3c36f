import { BOOTSTRAP_DEFAULTS, type BootstrapOptions } from '../../statistics/bootstrap.ts'
import { mean, percentileOfSorted } from '../../statistics/sample.ts'
import { kneeOfCurve } from '../metrics/context.ts'
import type { RunFigures } from '../metrics/measure-run.ts'
import { MEASURE_NAMES, type MeasureName } from '../metrics/measures.ts'
import type { ReplayReport } from '../replay/results.ts'
import { figuresOf } from './figures.ts'
import { type Slice, slicesOf } from './slices.ts'
import {
  type ArmSummary,
  AVERAGE,
  type Figure,
  type Latency,
  type ReplaySummary,
  type SliceSummary,
} from './summary.ts'
import { runsOf, unpairedOf } from './values.ts'

interface SummaryOptions {
  /** The arm that the others are compared with. */
  against: string
  /** The main measure; answer recall by default. */
  measure?: MeasureName
  /**
   * Which figures have intervals and comparisons beside those of the main measure, which always have them: `average`, the other
   * measures on average over the budgets, on all queries and by set; or `all`, also at each budget. By default `average`.
   */
  intervals?: 'average' | 'all'
  bootstrap?: BootstrapOptions
}

/**
 * Summarizes a replay: every measure of every arm, on every slice of the queries, at every budget and on average.
 * @throws RangeError for an arm that was not run
 */
export function summarize(report: ReplayReport, options: SummaryOptions): ReplaySummary {
  const { against, measure = 'recall', intervals = 'average', bootstrap = BOOTSTRAP_DEFAULTS } = options
  const { budgets, chunkTokens, parallel = 1 } = report
  const measures = MEASURE_NAMES.filter(name => hasValues(report, name))
  const wanted: Wanted = { against, measure, intervals, bootstrap, measures }
  return {
    against,
    measure,
    measures,
    budgets,
    arms: report.arms.map(({ name }) => name),
    chunkTokens,
    parallel,
    sets: report.sets.map(({ queries, ...facts }) => ({ ...facts, n: queries.length })),
    bootstrap,
    slices: slicesOf(report).map(slice => sliceSummary(slice, report, wanted)),
  }
}

type Wanted = Required<SummaryOptions> & { measures: readonly MeasureName[] }

function sliceSummary(slice: Slice, report: ReplayReport, wanted: Wanted): SliceSummary {
  const arms = report.arms.map(({ name }) => name)
  const budgets = report.budgets.map(String)
  const columns = [...budgets.map(budget => ({ at: budget, of: [budget] })), { at: AVERAGE, of: budgets }]
  const figures = new Map(arms.map(arm => [arm, {} as ArmSummary['figures']]))
  for (const measure of wanted.measures)
    for (const { at, of } of columns) {
      const withIntervals = hasIntervals(slice, measure, at, wanted)
      for (const [arm, figure] of figuresOf(slice, arms, { ...wanted, measure, budgets: of, withIntervals }))
        put(figures.get(arm), measure, at, figure)
    }
  const queries = Object.fromEntries(slice.sets.map(set => [set.name, set.queries.length]))
  return {
    by: slice.by,
    value: slice.value,
    n: slice.sets.reduce((sum, set) => sum + set.queries.length, 0),
    queries,
    unpaired: Object.fromEntries(
      wanted.measures
        .map(measure => [measure, unpairedOf(slice, arms, measure, budgets)] as const)
        .filter(([, count]) => count > 0),
    ),
    arms: arms.map(arm => ({ arm, ...ofRuns(slice, arm, budgets), ...ofFigures(figures.get(arm) ?? {}, budgets) })),
  }
}

function hasIntervals({ by }: Slice, measure: MeasureName, at: string, wanted: Wanted): boolean {
  if (measure === wanted.measure) return true
  return (by === 'all' || by === 'set') && (at === AVERAGE || wanted.intervals === 'all')
}

function put(figures: ArmSummary['figures'] | undefined, measure: MeasureName, at: string, figure: Figure): void {
  if (figures) figures[measure] = { ...figures[measure], [at]: figure }
}

function ofFigures(figures: ArmSummary['figures'], budgets: readonly string[]): Pick<ArmSummary, 'figures' | 'knee'> {
  const curve = budgets.flatMap(budget => {
    const recall = figures.recall?.[budget]?.mean
    return recall === undefined ? [] : [{ budget: Number(budget), recall }]
  })
  return { figures, knee: kneeOfCurve(curve) }
}

function ofRuns(slice: Slice, arm: string, budgets: readonly string[]) {
  const runs = slice.sets.flatMap(({ queries }) => queries.flatMap(query => runsOf(query, arm, budgets)))
  return {
    latency: latencyOf(runs),
    degradedShare: mean(runs.map(run => (run.degraded.length > 0 ? 1 : 0))),
    overrunShare: mean(runs.map(run => (run.overrun > 0 ? 1 : 0))),
    lost: runs.reduce((sum, run) => sum + run.lost, 0),
  }
}

/** The latency of runs: `total`, and each stage that any of them has. */
function latencyOf(runs: readonly RunFigures[]): Record<string, Latency> {
  const stages = new Set(runs.flatMap(({ stageMs }) => Object.keys(stageMs)))
  const ofStages = Array.from(stages, stage => [stage, percentiles(runs.flatMap(run => run.stageMs[stage] ?? []))])
  return { total: percentiles(runs.map(({ ms }) => ms)), ...Object.fromEntries(ofStages) }
}

function percentiles(values: readonly number[]): Latency {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => percentileOfSorted(sorted, share) ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

function hasValues(report: ReplayReport, measure: MeasureName): boolean {
  return report.sets.some(({ queries }) =>
    queries.some(({ arms }) =>
      Object.values(arms).some(byBudget => Object.values(byBudget).some(({ measures }) => measures[measure] !== null)),
    ),
  )
}
