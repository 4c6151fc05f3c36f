import type { AblationReport } from './ablation.ts'
import type { RulePair, Switch } from './arms.ts'

/**
 * The arms of an ablation in the order of what a reader looks for: the plan, the plan with one rule switched, the bare plan, and the bare
 * plan with one rule; within each kind the largest effect first.
 */
export function armsByEffect<Arm extends { name: string }>(
  arms: readonly Arm[],
  { arm: plan, measure, rows }: AblationReport,
  pairs: readonly RulePair[],
): Arm[] {
  const sizeOf = new Map(
    rows
      .filter(row => row.measure === measure && row.set === null)
      .map(({ rule, kind, difference }) => [`${kind} ${rule}`, Math.abs(difference.mean)]),
  )
  const largest = (name: string, kind: Switch) =>
    Math.max(
      Number.NEGATIVE_INFINITY,
      ...pairs
        .filter(pair => pair.kind === kind && [pair.with, pair.without].includes(name))
        .map(({ rule }) => sizeOf.get(`${kind} ${rule}`) ?? 0),
    )
  const rank = ({ name }: Arm): [number, number] => {
    if (name === plan) return [0, 0]
    const inPlan = largest(name, 'off alone')
    return Number.isFinite(inPlan) ? [1, -inPlan] : [2, -largest(name, 'on alone')]
  }
  return arms
    .map(arm => ({ arm, rank: rank(arm) }))
    .sort((left, right) => left.rank[0] - right.rank[0] || left.rank[1] - right.rank[1])
    .map(({ arm }) => arm)
}
