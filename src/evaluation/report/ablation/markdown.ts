import type { AblationReport, EffectRow } from '../../ablation/ablation.ts'
import { SWITCHES } from '../../ablation/arms.ts'
import { foldedPart, inlineCode, inlineText, markdownTable } from '../markdown/marks.ts'
import { differenceText, pText, reportOf, titleOf } from '../numbers.ts'

/** Prints an ablation as Markdown: the rules that help and hurt first, then the table. @param command as a person would type it */
export function ablationMarkdown(ablation: AblationReport, command: string): string {
  const { arm, measure, budgets, sets, rules, rows, skipped } = ablation
  const ofRules = rows.filter(row => row.measure === measure && row.set === null)
  const named = (verdict: EffectRow['verdict']) =>
    ofRules.filter(row => row.kind === 'off alone' && row.verdict === verdict).map(({ rule }) => inlineCode(rule))
  const verdicts = (['helps', 'hurts'] as const).map(
    verdict => `- ${verdict}: ${named(verdict).join(', ') || 'no rule is proven to'}`,
  )
  const cells = (rule: string, kind: string, from: EffectRow[]) => {
    const row = from.find(one => one.rule === rule && one.kind === kind)
    return row ? [differenceText(measure, row).replace('*', '\\*'), pText(row.adjustedP), row.verdict] : ['', '', '']
  }
  const table = (from: EffectRow[]) =>
    markdownTable(
      ['rule', 'in plan', ...SWITCHES.flatMap(kind => [kind, 'p', 'verdict'])],
      rules.map(rule => [
        rule,
        from.some(row => row.rule === rule && row.inPlan) ? 'yes' : '',
        ...SWITCHES.flatMap(kind => cells(rule, kind, from)),
      ]),
    )
  const bySet =
    sets.length < 2 ? [] : sets.map(({ name }) => foldedPart(name, table(rows.filter(row => row.set === name))))
  return reportOf([
    `## Ablation of ${inlineText(arm)}`,
    verdicts.join('\n'),
    table(ofRules),
    `${titleOf(measure)}, with the rule minus without it, average over ${budgets.join(', ')} tokens; ${sets.map(({ name, n }) => `${inlineText(name)} (${n})`).join(', ')}. p is adjusted for the rules.`,
    ...bySet,
    skipped.map(({ rule, reason }) => `- ${rule} was skipped: ${inlineText(reason)}`).join('\n'),
    `Made by ${inlineCode(command)}.`,
  ])
}
