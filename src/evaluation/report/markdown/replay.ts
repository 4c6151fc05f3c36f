import { MEASURES, signOf } from '../../metrics/measures.ts'
import type { ReplayReport } from '../../replay/results.ts'
import { type QueryChange, queryChanges } from '../../summary/changes.ts'
import { type ArmSummary, AVERAGE, type Figure, type ReplaySummary } from '../../summary/summary.ts'
import { differenceText, reportOf, titleOf, unpairedLines, valueText } from '../numbers.ts'
import { warningsOf } from '../warnings.ts'
import { foldedPart, inlineCode, inlineText, markdownTable } from './marks.ts'

/** Wins and losses shown of each arm. */
const CHANGES = 10

/**
 * Prints a summary for pull requests: the verdicts first, then the table, the largest wins and losses, warnings and the command.
 * @param command as a person would type it
 */
export function replayMarkdown(report: ReplayReport, summary: ReplaySummary, command: string): string {
  const { measure, against, sets } = summary
  const [all] = summary.slices
  const arms = all?.arms ?? []
  const notes = all ? unpairedLines(all, summary.budgets) : []
  const others = arms.filter(({ arm }) => arm !== against)
  const queries = sets.reduce((sum, { n }) => sum + n, 0)
  const warnings = warningsOf(summary).map(warning => `- ⚠️ ${inlineText(warning, 300)}`)
  return reportOf([
    '## Replay of golden queries',
    others.map(arm => verdictLine(arm, summary)).join('\n'),
    budgetTable(arms, summary),
    `${queries} queries of ${sets.map(({ name }) => inlineText(name)).join(', ')}. ${legend(against)}`,
    warnings.join('\n'),
    ...others.map(({ arm }) => changesPart(report, { arm, against }, summary)),
    foldedPart('Other measures, on average over the budgets', [measureTable(arms, summary), ...notes].join('\n\n')),
    `Made by ${inlineCode(command)}. ${MEASURES[measure].title}: ${MEASURES[measure].meaning}.`,
  ])
}

const WORDS = { helps: '✅ helps', hurts: '❌ hurts', unproven: '➖ unproven' } as const

function verdictLine(arm: ArmSummary, { measure, against }: ReplaySummary): string {
  const compared = arm.figures[measure]?.[AVERAGE]?.against
  if (!compared) return `- ${inlineText(arm.arm)}: no figures to compare`
  const { verdict, smallestEffect } = compared
  const seen =
    smallestEffect === null
      ? ''
      : `; these queries would have shown a difference of ${valueText(measure, smallestEffect)}`
  return `- **${inlineText(arm.arm)}** against ${inlineText(against)}: **${WORDS[verdict]}**, ${titleOf(measure)} ${differenceText(measure, compared)}${seen}`
}

function budgetTable(arms: readonly ArmSummary[], { measure, budgets }: ReplaySummary): string {
  const columns = [...budgets.map(String), AVERAGE]
  const rows = arms.map(({ arm, figures }) => [
    inlineText(arm),
    ...columns.map(at => figureCell(measure, figures[measure]?.[at])),
  ])
  return markdownTable([titleOf(measure), ...columns], rows)
}

function measureTable(arms: readonly ArmSummary[], { measure, measures }: ReplaySummary): string {
  const others = measures.filter(name => name !== measure)
  const rows = others.map(name => [
    titleOf(name),
    ...arms.map(({ figures }) => figureCell(name, figures[name]?.[AVERAGE])),
  ])
  return markdownTable(['', ...arms.map(({ arm }) => inlineText(arm))], rows)
}

function figureCell(measure: ReplaySummary['measure'], figure: Figure | undefined): string {
  if (figure === undefined) return ''
  const value = valueText(measure, figure.mean)
  return figure.against ? `${value} (${differenceText(measure, figure.against).replace('*', '\\*')})` : value
}

function changesPart(
  report: ReplayReport,
  pair: { arm: string; against: string },
  { measure, budgets }: ReplaySummary,
): string {
  const changes = queryChanges(report, pair, measure, budgets.map(String))
  const isWin = ({ difference }: QueryChange) => difference * signOf(measure) > 0
  const row = ({ set, id, query, other, value }: QueryChange) => [
    inlineText(`${set}/${id}`),
    inlineText(query),
    `${valueText(measure, other)} → ${valueText(measure, value)}`,
  ]
  const table = (title: string, some: QueryChange[]) => {
    const shown = some.length > CHANGES ? `the ${CHANGES} largest of ${some.length}` : String(some.length)
    return some.length === 0
      ? []
      : [`${title} (${shown}):\n\n${markdownTable(['query', '', titleOf(measure)], some.slice(0, CHANGES).map(row))}`]
  }
  const losses = changes.filter(change => !isWin(change))
  const wins = changes.filter(isWin)
  const title = `${pair.arm}: ${wins.length} queries won, ${losses.length} lost`
  return changes.length === 0
    ? ''
    : foldedPart(title, [...table('Losses', losses), ...table('Wins', wins)].join('\n\n'))
}

function legend(against: string): string {
  return `In brackets: the difference to ${inlineText(against)} with its paired 95 % interval; \\* = the interval excludes 0, and p < .05 after correction for the number of arms.`
}
