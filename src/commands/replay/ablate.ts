import { InvalidArgumentError } from 'commander'
import { type AblationReport, effectsOf, type SkippedRule } from '../../evaluation/ablation/ablation.ts'
import { ablationArms } from '../../evaluation/ablation/arms.ts'
import { RULE_NAMES, RULES, type Rule, type RuleName } from '../../evaluation/ablation/rules.ts'
import type { PlanArm } from '../../evaluation/arms/arm.ts'
import type { MeasureName } from '../../evaluation/metrics/measures.ts'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { BOOTSTRAP_DEFAULTS } from '../../statistics/bootstrap.ts'

/** An ablation that is ready to run: its arms, and the reading of the report of their replay. */
export interface PreparedAblation {
  arms: PlanArm[]
  read(report: ReplayReport): AblationReport
}

/** Parses a name of `--rules`. */
export function ruleOption(text: string): RuleName {
  const rule = RULE_NAMES.find(name => name === text)
  if (rule) return rule
  throw new InvalidArgumentError(`No rule is called ${JSON.stringify(text)}; there are: ${RULE_NAMES.join(', ')}.`)
}

/** Prepares the ablation of an arm. Rules that need a reranker are skipped without one. */
export function prepareAblation(
  arm: PlanArm,
  rules: readonly RuleName[],
  { measure, reranker }: { measure: MeasureName; reranker: string | null },
): PreparedAblation {
  const skipped = rules.flatMap((rule): SkippedRule[] => {
    const { needsReranker }: Rule = RULES[rule]
    return needsReranker && reranker === null ? [{ rule, reason: 'no reranker is loaded' }] : []
  })
  const run = rules.filter(rule => !skipped.some(one => one.rule === rule))
  const { arms, pairs } = ablationArms(arm, run)
  return {
    arms,
    read: report => effectsOf(report, { arm: arm.name, measure, pairs, skipped, bootstrap: BOOTSTRAP_DEFAULTS }),
  }
}
