import {
  BOOTSTRAP_DEFAULTS,
  type BootstrapOptions,
  type Interval,
  pairedInterval,
  type Verdict,
  verdictOf,
} from '../../statistics/bootstrap.ts'
import { mean, percentile } from '../../statistics/sample.ts'
import { kneeOfCurve } from '../metrics/context.ts'
import type { RunFigures } from '../metrics/measure-run.ts'
import type { MeasureName } from '../metrics/measures.ts'
import type { QueryResult, ReplayReport, SetResult } from './results.ts'

/** A comparison with the reference arm; null for the reference arm itself. */
export interface Comparison {
  difference: Interval
  verdict: Verdict
}

/** Means over the queries of a set, at one budget or over all budgets. Shares are in [0,1]. */
export interface Means {
  recall: number
  all: number
  covered: number
  /** Null when every context is empty. */
  garbage: number | null
  redundancy: number
  tokens: number
  /** Recall against the reference arm. */
  against: Comparison | null
}

export interface ArmSummary {
  arm: string
  budgets: Record<string, Means>
  /** Mean over all budgets. */
  average: Means
  knee: number | null
  /** Milliseconds over all runs: `total`, and each stage. */
  latency: Record<string, { p50: number; p95: number; p99: number }>
  /** Share of runs whose context exceeded its budget before the cut. */
  overrunShare: number
  /** Tokens reported as packed but not found in the context, sum over all runs. */
  lost: number
}

export interface SetSummary {
  set: string
  n: number
  arms: ArmSummary[]
}

/** Means over sets; every set has the same weight. */
export interface MacroSummary {
  arm: string
  budgets: Record<string, number>
  average: number
  all: number
  against: Comparison | null
}

export interface ReplaySummary {
  against: string
  bootstrap: BootstrapOptions
  sets: SetSummary[]
  macro: MacroSummary[]
}

/** Compares the arms of a replay with the arm `against`. Intervals are paired by query (see `pairedInterval`). */
export function summarize(
  report: ReplayReport,
  against: string,
  bootstrap: BootstrapOptions = BOOTSTRAP_DEFAULTS,
): ReplaySummary {
  const budgets = report.budgets.map(String)
  const compare = (arm: string, sets: readonly SetResult[], at: readonly string[]): Comparison | null => {
    if (arm === against) return null
    const differences = sets.map(set => differencesOf(set, arm, against, at))
    const difference = pairedInterval(differences, bootstrap)
    return { difference, verdict: verdictOf(difference) }
  }
  const meansOf = (set: SetResult, arm: string, at: readonly string[]): Means => ({
    ...averagesOf(set.queries.flatMap(query => figuresOf(query, arm, at))),
    against: compare(arm, [set], at),
  })
  const arms = report.arms.map(({ name }) => name)
  const sets = report.sets.map(set => ({
    set: set.name,
    n: set.queries.length,
    arms: arms.map(arm => {
      const runs = set.queries.flatMap(query => figuresOf(query, arm, budgets))
      const byBudget = Object.fromEntries(budgets.map(budget => [budget, meansOf(set, arm, [budget])]))
      return {
        arm,
        budgets: byBudget,
        average: meansOf(set, arm, budgets),
        knee: kneeOfCurve(Object.entries(byBudget).map(([budget, { recall }]) => ({ budget: Number(budget), recall }))),
        latency: latenciesOf(runs),
        overrunShare: mean(runs.map(run => (run.overrun > 0 ? 1 : 0))),
        lost: runs.reduce((sum, run) => sum + run.lost, 0),
      }
    }),
  }))
  const macro = arms.map(arm => {
    const ofArm = sets.flatMap(set => set.arms.filter(summary => summary.arm === arm))
    const recallAt = (budget: string) => mean(ofArm.map(summary => summary.budgets[budget]?.recall ?? Number.NaN))
    return {
      arm,
      budgets: Object.fromEntries(budgets.map(budget => [budget, recallAt(budget)])),
      average: mean(ofArm.map(summary => summary.average.recall)),
      all: mean(ofArm.map(summary => summary.average.all)),
      against: compare(arm, report.sets, budgets),
    }
  })
  return { against, bootstrap, sets, macro }
}

function figuresOf(query: QueryResult, arm: string, budgets: readonly string[]): RunFigures[] {
  return budgets.map(budget => {
    const figures = query.arms[arm]?.[budget]
    if (!figures) throw new RangeError(`query ${query.id} has no figures for arm ${arm} at budget ${budget}`)
    return figures
  })
}

function differencesOf(set: SetResult, arm: string, against: string, budgets: readonly string[]): number[] {
  const recallOf = (query: QueryResult, name: string) =>
    mean(figuresOf(query, name, budgets).map(run => run.measures.recall ?? 0))
  return set.queries.map(query => recallOf(query, arm) - recallOf(query, against))
}

function averagesOf(runs: readonly RunFigures[]): Omit<Means, 'against'> {
  const meanOf = (name: MeasureName): number | null => {
    const values = runs.flatMap(({ measures }) => measures[name] ?? [])
    return values.length === 0 ? null : mean(values)
  }
  return {
    recall: meanOf('recall') ?? 0,
    all: meanOf('all_found') ?? 0,
    covered: meanOf('covered') ?? 0,
    garbage: meanOf('garbage'),
    redundancy: meanOf('redundancy') ?? 1,
    tokens: meanOf('tokens') ?? 0,
  }
}

function latenciesOf(runs: readonly RunFigures[]): ArmSummary['latency'] {
  const summarizeMs = (values: number[]) => {
    const [p50 = 0, p95 = 0, p99 = 0] = [0.5, 0.95, 0.99].map(share => percentile(values, share) ?? 0)
    return { p50, p95, p99 }
  }
  const latency: ArmSummary['latency'] = { total: summarizeMs(runs.map(run => run.ms)) }
  for (const stage of new Set(runs.flatMap(run => Object.keys(run.stageMs))))
    latency[stage] = summarizeMs(runs.flatMap(run => run.stageMs[stage] ?? []))
  return latency
}
