import { mean } from '../../statistics/sample.ts'
import type { QueryResult, ReplayReport } from '../replay/results.ts'
import { AVERAGE } from '../summary/summary.ts'
import { runsOf } from '../summary/values.ts'
import { LOSS_RULES, type LossRule, type OracleShares, type RuleLoss } from './loss.ts'
import { LOSS_STEP_NAMES, type LossStep } from './steps.ts'

/**
 * Where an arm loses answer recall. Points are a hundred times the mean over queries of the share of their gold passages, as answer recall
 * is, so the points of all steps, `found` among them, sum up to 100. Rows of several budgets or sets are means of theirs.
 */
export interface LossRow {
  /** Null for all sets with equal weights. */
  set: string | null
  arm: string
  /** A budget as text, or `average` over the budgets. */
  budget: string
  /** How gold passages are counted. */
  rule: LossRule
  queries: number
  points: Record<LossStep, number>
  /** Gold passages at each step. In the row `average` each counts once for each budget. */
  golds: Record<LossStep, number>
  /** Points of the best fills. */
  oracle: OracleShares
  /**
   * Share of the distance between the reference arm and the best fill from its lists that the arm closes; 0 for the reference arm itself.
   * Null when there is no distance.
   */
  closed: number | null
}

type Points = Pick<LossRow, 'queries' | 'points' | 'golds' | 'oracle'>

/**
 * Sums up the losses of a replay: for each set, then for all sets when there are several, for each arm and rule, one row for each budget and
 * one for their average. Arms and rules without losses are left out.
 * @param against the reference arm
 */
export function lossBudget({ sets, arms, budgets }: ReplayReport, against: string): LossRow[] {
  const places = budgets.map(String)
  const ofSets = sets.map(({ name, queries }) => ({
    set: name,
    pointsOf: (arm: string, rule: LossRule, budget: string) => pointsOfQueries(queries, arm, rule, budget),
  }))
  const ofAll = {
    set: null,
    pointsOf: (arm: string, rule: LossRule, budget: string) =>
      meanOf(ofSets.flatMap(({ pointsOf }) => pointsOf(arm, rule, budget) ?? [])),
  }
  return (sets.length > 1 ? [...ofSets, ofAll] : ofSets).flatMap(({ set, pointsOf }) => {
    const curveOf = (arm: string, rule: LossRule) => {
      const points = places.flatMap(budget => {
        const at = pointsOf(arm, rule, budget)
        return at === null ? [] : [{ budget, ...at }]
      })
      const average = meanOf(points)
      return average === null ? [] : [...points, { budget: AVERAGE, ...average, queries: points[0]?.queries ?? 0 }]
    }
    return LOSS_RULES.flatMap(rule => {
      const reference = new Map(curveOf(against, rule).map(points => [points.budget, points]))
      return arms.flatMap(({ name: arm }) =>
        curveOf(arm, rule).map(points => {
          const closed = closedOf(points, reference.get(points.budget))
          return { set, arm, rule, ...points, closed }
        }),
      )
    })
  })
}

function pointsOfQueries(queries: readonly QueryResult[], arm: string, rule: LossRule, budget: string): Points | null {
  const losses = queries.flatMap(query => runsOf(query, arm, [budget]).flatMap(({ loss }) => loss?.[rule] ?? []))
  if (losses.length === 0) return null
  const goldsAt = (step: LossStep) => losses.map(({ golds }) => golds.filter(gold => gold.step === step).length)
  const oracleOf = (name: keyof OracleShares) => 100 * mean(losses.map(({ oracle }) => oracle[name]))
  return {
    queries: losses.length,
    points: byStep(step => 100 * mean(goldsAt(step).map((count, at) => count / golds(losses[at])))),
    golds: byStep(step => goldsAt(step).reduce((sum, count) => sum + count, 0)),
    oracle: { lists: oracleOf('lists'), pool: oracleOf('pool'), packing: oracleOf('packing') },
  }
}

const golds = (loss: RuleLoss | undefined) => loss?.golds.length ?? 0

/** The mean of points; numbers of queries and gold passages are summed up. Null without any. */
function meanOf(all: readonly Points[]): Points | null {
  if (all.length === 0) return null
  const oracleOf = (name: keyof OracleShares) => mean(all.map(({ oracle }) => oracle[name]))
  return {
    queries: all.reduce((sum, { queries }) => sum + queries, 0),
    points: byStep(step => mean(all.map(({ points }) => points[step]))),
    golds: byStep(step => all.reduce((sum, of) => sum + of.golds[step], 0)),
    oracle: { lists: oracleOf('lists'), pool: oracleOf('pool'), packing: oracleOf('packing') },
  }
}

function byStep(figureAt: (step: LossStep) => number): Record<LossStep, number> {
  return Object.fromEntries(LOSS_STEP_NAMES.map(step => [step, figureAt(step)])) as Record<LossStep, number>
}

function closedOf({ points }: Points, reference: Points | undefined): number | null {
  if (reference === undefined) return null
  const distance = reference.oracle.lists - reference.points.found
  return distance > 0 ? (points.found - reference.points.found) / distance : null
}
