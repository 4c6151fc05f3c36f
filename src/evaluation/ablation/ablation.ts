import type { BootstrapOptions } from '../../statistics/bootstrap.ts'
import type { Comparison } from '../../statistics/comparison.ts'
import { MEASURE_NAMES, type MeasureName } from '../metrics/measures.ts'
import type { ReplayReport } from '../replay/results.ts'
import { comparePairs } from '../summary/figures.ts'
import { type Slice, slicesOf } from '../summary/slices.ts'
import { type RulePair, SWITCHES, type Switch } from './arms.ts'
import type { RuleName } from './rules.ts'

/** The effect of one rule on one measure: with the rule minus without it, on average over the budgets. Plain data. */
export interface EffectRow extends Comparison {
  rule: RuleName
  kind: Switch
  /** Whether the plan uses the rule. */
  inPlan: boolean
  measure: MeasureName
  /** Null for all sets with equal weights. The effect by set is given for the main measure. */
  set: string | null
}

/** A rule that could not be switched here. */
export interface SkippedRule {
  rule: RuleName
  reason: string
}

/** What an ablation found. Plain data. */
export interface AblationReport {
  version: 1
  /** The arm whose rules were switched. */
  arm: string
  /** The measure of verdicts. */
  measure: MeasureName
  measures: MeasureName[]
  budgets: number[]
  sets: { name: string; hash: string; n: number }[]
  rules: RuleName[]
  skipped: SkippedRule[]
  rows: EffectRow[]
}

interface AblationOptions {
  arm: string
  measure: MeasureName
  pairs: readonly RulePair[]
  skipped: readonly SkippedRule[]
  bootstrap: BootstrapOptions
}

/**
 * Computes the effects of rules from a replay of the arms of `ablationArms`. The p values are adjusted for the number of rules, within one
 * measure, one way of switching, and one set or all.
 */
export function effectsOf(report: ReplayReport, options: AblationOptions): AblationReport {
  const { arm, measure, pairs, skipped } = options
  const slices = slicesOf(report)
  const rowsOf = (slice: Slice, name: MeasureName) =>
    SWITCHES.flatMap(kind => effectRows(slice, kind, name, report, options))
  const byMeasure = MEASURE_NAMES.map(name => slices.slice(0, 1).flatMap(all => rowsOf(all, name)))
  const bySet = slices.filter(({ by }) => by === 'set').flatMap(slice => rowsOf(slice, measure))
  return {
    version: 1,
    arm,
    measure,
    measures: byMeasure.flatMap(([first]) => first?.measure ?? []),
    budgets: report.budgets,
    sets: report.sets.map(({ name, hash, queries }) => ({ name, hash, n: queries.length })),
    rules: [...new Set(pairs.map(({ rule }) => rule))],
    skipped: [...skipped],
    rows: [...byMeasure.flat(), ...bySet],
  }
}

function effectRows(
  slice: Slice,
  kind: Switch,
  measure: MeasureName,
  { budgets }: ReplayReport,
  { pairs, bootstrap }: AblationOptions,
): EffectRow[] {
  const ofKind = new Map(pairs.filter(pair => pair.kind === kind).map(pair => [pair.rule, pair]))
  const named = Array.from(ofKind, ([rule, pair]): [RuleName, { arm: string; against: string }] => [
    rule,
    { arm: pair.with, against: pair.without },
  ])
  const compared = comparePairs(slice, new Map(named), { measure, budgets: budgets.map(String), bootstrap })
  const set = slice.by === 'set' ? slice.value : null
  return Array.from(compared, ([rule, comparison]) => ({
    rule,
    kind,
    inPlan: ofKind.get(rule)?.inPlan ?? false,
    measure,
    set,
    ...comparison,
  }))
}
