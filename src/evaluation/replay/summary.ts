import { BOOTSTRAP_DEFAULTS, type BootstrapOptions } from '../../statistics/bootstrap.ts'
import { type Comparison, compareTogether } from '../../statistics/comparison.ts'
import { mean, percentile } from '../../statistics/sample.ts'
import { kneeOfCurve } from '../metrics/context.ts'
import type { QueryResult, ReplayReport, SetResult } from './replay.ts'
import type { RunFigures } from './run-metrics.ts'

/** Means over the queries of a set, at one budget or over all budgets. Shares are in [0,1]. */
export interface Means {
  recall: number
  all: number
  covered: number
  /** Null when every context is empty. */
  garbage: number | null
  redundancy: number
  tokens: number
  /** Recall against the reference arm; null for the reference arm itself. */
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

/**
 * Compares the arms of a replay with the arm `against`, paired by query. The p values of one column are adjusted for the number of arms.
 * @throws RangeError for an arm that was not run
 */
export function summarize(
  report: ReplayReport,
  against: string,
  options: Partial<BootstrapOptions> = {},
): ReplaySummary {
  const bootstrap = { ...BOOTSTRAP_DEFAULTS, ...options }
  const budgets = report.budgets.map(String)
  const arms = report.arms.map(({ name }) => name)
  const compare = (sets: readonly SetResult[], at: readonly string[]) => {
    const others = arms.filter(arm => arm !== against)
    const differences = others.map(arm => [arm, sets.map(set => differencesOf(set, arm, against, at))] as const)
    return compareTogether(new Map(differences), bootstrap)
  }
  const meansOf = (set: SetResult, at: readonly string[]) => {
    const compared = compare([set], at)
    return (arm: string): Means => ({
      ...averagesOf(set.queries.flatMap(query => figuresOf(query, arm, at))),
      against: compared.get(arm) ?? null,
    })
  }
  const sets = report.sets.map(set => {
    const meansAt = budgets.map(budget => [budget, meansOf(set, [budget])] as const)
    const meansOverAll = meansOf(set, budgets)
    return {
      set: set.name,
      n: set.queries.length,
      arms: arms.map(arm => {
        const runs = set.queries.flatMap(query => figuresOf(query, arm, budgets))
        const byBudget = Object.fromEntries(meansAt.map(([budget, means]) => [budget, means(arm)]))
        const curve = Object.entries(byBudget).map(([budget, { recall }]) => ({ budget: Number(budget), recall }))
        return {
          arm,
          budgets: byBudget,
          average: meansOverAll(arm),
          knee: kneeOfCurve(curve),
          latency: latenciesOf(runs),
          overrunShare: mean(runs.map(run => (run.overrun > 0 ? 1 : 0))),
          lost: runs.reduce((sum, run) => sum + run.lost, 0),
        }
      }),
    }
  })
  const comparedOverAll = compare(report.sets, budgets)
  const macro = arms.map(arm => {
    const ofArm = sets.flatMap(set => set.arms.filter(summary => summary.arm === arm))
    const recallAt = (budget: string) => mean(ofArm.map(summary => summary.budgets[budget]?.recall ?? Number.NaN))
    return {
      arm,
      budgets: Object.fromEntries(budgets.map(budget => [budget, recallAt(budget)])),
      average: mean(ofArm.map(summary => summary.average.recall)),
      all: mean(ofArm.map(summary => summary.average.all)),
      against: comparedOverAll.get(arm) ?? null,
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
  const recallOf = (query: QueryResult, name: string) => mean(figuresOf(query, name, budgets).map(run => run.recall))
  return set.queries.map(query => recallOf(query, arm) - recallOf(query, against))
}

function averagesOf(runs: readonly RunFigures[]): Omit<Means, 'against'> {
  const garbage = runs.flatMap(run => run.garbage ?? [])
  return {
    recall: mean(runs.map(run => run.recall)),
    all: mean(runs.map(run => run.all)),
    covered: mean(runs.map(run => run.covered)),
    garbage: garbage.length === 0 ? null : mean(garbage),
    redundancy: mean(runs.map(run => run.redundancy)),
    tokens: mean(runs.map(run => run.tokens)),
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
