import { type Interval, pairedInterval } from '../../statistics/bootstrap.ts'
import { holm } from '../../statistics/holm.ts'
import { pairedRandomizationTest } from '../../statistics/randomization.ts'
import { smallestEffect } from '../../statistics/smallest-effect.ts'
import { signOf } from '../metrics/measures.ts'
import type { ReplayReport } from '../replay/results.ts'
import { type Baseline, baselineOf, GATED } from './baseline.ts'

/** Level of the family of all tests of one gate. */
const LEVEL = 0.05
/** Queries that are named of each change. */
const NAMED = 10

interface ChangedQuery {
  set: string
  id: string
  query: string
  before: number
  now: number
}

/** One measure at one budget, now against the baseline. */
export interface GateTest {
  measure: (typeof GATED)[number]
  budget: number
  /** Means over sets with equal weights. */
  before: number
  now: number
  /** Of `now − before`. */
  difference: Interval
  /** One-sided p value in the direction of the difference, adjusted for the number of tests. */
  adjustedP: number
  smallestEffect: number | null
  verdict: 'worse' | 'better' | 'unchanged'
  /** Number of queries that lost and won, and those that lost or won most, in the direction of the difference. */
  lost: number
  won: number
  most: ChangedQuery[]
}

export interface GateResult {
  passed: boolean
  tests: GateTest[]
  /** What fails without any statistics: one sentence each. */
  faults: string[]
  /** Values of the plan that differ from those of the baseline: one line each. */
  planChanges: string[]
}

/**
 * Judges a replay against a baseline of an equal setup. A measure at a budget is worse when the paired 95 % interval of its difference
 * excludes 0 on the bad side, and a one-sided paired randomization test has p < .05 after Holm's correction for all measures and
 * budgets. By construction a change that moves queries up and down by chance fails at most one gate in twenty, and an unchanged tree
 * never does. A context over its budget, a larger degraded share, and a query that is gone fail without any statistics.
 */
export function judge(baseline: Baseline, report: ReplayReport): GateResult {
  const now = baselineOf(report, [])
  const faults = faultsOf(baseline, now, report)
  const tests = adjusted(
    GATED.flatMap((measure, at) =>
      baseline.budgets.flatMap((budget, budgetAt) => {
        const sets = pairsOf(baseline, report, now, [budgetAt, at])
        return sets.length === 0 ? [] : [testOf(measure, budget, sets)]
      }),
    ),
  )
  const planChanges = Object.keys({ ...baseline.plan, ...now.plan })
    .filter(path => baseline.plan[path] !== now.plan[path])
    .map(path => `${path}: ${String(baseline.plan[path])} → ${String(now.plan[path])}`)
  return {
    passed: faults.length === 0 && tests.every(({ verdict }) => verdict !== 'worse'),
    tests,
    faults,
    planChanges,
  }
}

/** The queries that both have, by set; sets without one are left out. */
function pairsOf(
  before: Baseline,
  report: ReplayReport,
  now: Baseline,
  [budgetAt, at]: [number, number],
): ChangedQuery[][] {
  return report.sets
    .map(({ name, queries }) =>
      queries.flatMap(({ id, query }): ChangedQuery[] => {
        const [old, current] = [before, now].map(one => one.queries[name]?.[id]?.[budgetAt]?.[at] ?? null)
        return old == null || current == null ? [] : [{ set: name, id, query, before: old, now: current }]
      }),
    )
    .filter(pairs => pairs.length > 0)
}

/** A test before the correction; its verdict is the one of the interval. */
function testOf(measure: GateTest['measure'], budget: number, sets: readonly ChangedQuery[][]): GateTest {
  const differences = sets.map(pairs => pairs.map(({ now, before }) => now - before))
  const difference = pairedInterval(differences)
  const alternative = difference.mean > 0 ? 'greater' : 'less'
  const better = signOf(measure)
  const all = sets.flat().map(pair => ({ pair, gain: better * (pair.now - pair.before) }))
  const direction = Math.sign(difference.mean) * better
  const mean = (of: (pair: ChangedQuery) => number) =>
    sets.reduce((sum, pairs) => sum + pairs.reduce((all, pair) => all + of(pair), 0) / pairs.length, 0) / sets.length
  return {
    measure,
    budget,
    before: mean(pair => pair.before),
    now: mean(pair => pair.now),
    difference,
    adjustedP: pairedRandomizationTest(differences, { alternative }),
    smallestEffect: smallestEffect(differences),
    verdict: difference.low > 0 || difference.high < 0 ? (direction > 0 ? 'better' : 'worse') : 'unchanged',
    lost: all.filter(({ gain }) => gain < 0).length,
    won: all.filter(({ gain }) => gain > 0).length,
    most: all
      .filter(({ gain }) => gain * direction > 0)
      .sort((left, right) => Math.abs(right.gain) - Math.abs(left.gain))
      .slice(0, NAMED)
      .map(({ pair }) => pair),
  }
}

function adjusted(tests: readonly GateTest[]): GateTest[] {
  const values = holm(tests.map(({ adjustedP }) => adjustedP))
  return tests.map((test, index) => {
    const adjustedP = values[index] ?? 1
    return { ...test, adjustedP, verdict: adjustedP < LEVEL ? test.verdict : 'unchanged' }
  })
}

function faultsOf(baseline: Baseline, now: Baseline, report: ReplayReport): string[] {
  const gone = Object.entries(baseline.queries).flatMap(([set, queries]) =>
    Object.keys(queries)
      .filter(id => !now.queries[set]?.[id])
      .map(id => `${set}/${id}`),
  )
  const over = report.sets.flatMap(({ name, queries }) =>
    queries.flatMap(({ id, arms }) =>
      Object.entries(arms[baseline.arm] ?? {}).flatMap(([budget, { overrun }]) =>
        overrun > 0 ? [`${name}/${id}: a context is ${overrun} tokens over its budget of ${budget}`] : [],
      ),
    ),
  )
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  return [
    ...(gone.length > 0 ? [`queries of the baseline are gone: ${gone.slice(0, NAMED).join(', ')}`] : []),
    ...over.slice(0, NAMED),
    ...(now.degradedShare > baseline.degradedShare
      ? [`degraded runs grew from ${percent(baseline.degradedShare)} to ${percent(now.degradedShare)}`]
      : []),
  ]
}
