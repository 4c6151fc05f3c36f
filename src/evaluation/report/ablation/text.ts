import type { AblationReport, EffectRow } from '../../ablation/ablation.ts'
import { SWITCHES } from '../../ablation/arms.ts'
import { RULES } from '../../ablation/rules.ts'
import { differenceText, pText, reportOf, titleOf, valueText } from '../numbers.ts'
import { LIMITED_RULES, newTable } from '../table.ts'

/** Prints an ablation for terminals: each rule off alone and on alone, on the main measure. */
export function ablationText(ablation: AblationReport): string {
  const { arm, measure, budgets, sets, skipped } = ablation
  const queries = sets.reduce((sum, { n }) => sum + n, 0)
  const head = `rules of ${arm} on ${sets.map(({ name }) => name).join(', ')}: ${queries} queries, average over ${budgets.join(', ')} tokens`
  const bySet = sets.length > 1 ? sets.map(({ name }) => `${name}\n${effectTable(ablation, name)}`) : []
  return reportOf([
    `${head}\n${titleOf(measure)}: with the rule minus without it\n${effectTable(ablation, null)}`,
    ...bySet,
    otherMeasures(ablation),
    legend(ablation),
    skipped.map(({ rule, reason }) => `${rule} was skipped: ${reason}`).join('\n'),
  ])
}

function effectTable({ rules, rows, measure }: AblationReport, set: string | null): string {
  const table = newTable(['rule', 'in plan', ...SWITCHES.flatMap(kind => [kind, 'p', 'verdict'])], LIMITED_RULES)
  for (const rule of rules) {
    const ofRule = rows.filter(row => row.rule === rule && row.measure === measure && row.set === set)
    const inPlan = ofRule.some(row => row.inPlan) ? 'yes' : ''
    const cells = SWITCHES.flatMap(kind => effectCells(ofRule.find(row => row.kind === kind)))
    table.push([rule, inPlan, ...cells])
  }
  return table.toString()
}

function effectCells(row: EffectRow | undefined): string[] {
  return row ? [differenceText(row.measure, row), pText(row.adjustedP), row.verdict] : ['-', '', '']
}

/** What the rules do to the other measures, as far as it is proven. */
function otherMeasures({ rows, measure }: AblationReport): string {
  const proven = rows.filter(row => row.set === null && row.measure !== measure && row.verdict !== 'unproven')
  const lines = proven.map(
    row => `  ${row.rule} ${row.kind}: ${row.verdict}, ${titleOf(row.measure)} ${differenceText(row.measure, row)}`,
  )
  return lines.length === 0 ? '' : `other measures, as far as proven:\n${lines.join('\n')}`
}

function legend({ arm, rows, measure, rules }: AblationReport): string {
  const seen = rows.flatMap(row => (row.measure === measure && row.set === null ? (row.smallestEffect ?? []) : []))
  const range =
    seen.length === 0
      ? 'unknown'
      : [Math.min(...seen), Math.max(...seen)].map(one => valueText(measure, one)).join(' to ')
  return [
    `off alone: ${arm} and ${arm} without the rule; for a rule that it does not use, ${arm} with the rule and ${arm}`,
    'on alone: the bare plan with the rule and without it; bare is greedy fill of the fused list, with every rule off',
    `p is adjusted for the ${rules.length} rules (Holm); smallest effect seen in four of five replays: ${range}`,
    ...rules.map(rule => `${rule}: ${RULES[rule].meaning}`),
  ].join('\n')
}
