import type { GateResult, GateTest } from '../../gate/judge.ts'
import { foldedPart, inlineCode, inlineText, markdownTable } from '../markdown/marks.ts'
import { reportOf, valueText } from '../numbers.ts'
import { COLUMNS, cellsOf, nameOf, verdictText } from './text.ts'

/** Prints a gate for pull requests: the verdict first, then the tests and the queries behind them. @param command as a person would type it */
export function gateMarkdown(result: GateResult, file: string, command: string): string {
  const { passed, tests, faults, planChanges } = result
  const changed = tests.filter(({ verdict }) => verdict !== 'unchanged')
  return reportOf([
    `## ${passed ? '✅' : '❌'} Golden queries`,
    inlineText(verdictText(result, file), 1000),
    faults.map(fault => `- ❌ ${inlineText(fault, 300)}`).join('\n'),
    markdownTable(COLUMNS, tests.map(cellsOf)),
    planChanges.map(change => `- plan value changed: ${inlineCode(change)}`).join('\n'),
    ...changed.map(test => foldedPart(`${nameOf(test)}: ${test.verdict}`, queryTable(test))),
    `Made by ${inlineCode(command)}.`,
  ])
}

function queryTable({ measure, most }: GateTest): string {
  const rows = most.map(({ set, id, query, before, now }) => [
    inlineText(`${set}/${id}`),
    inlineText(query),
    `${valueText(measure, before)} → ${valueText(measure, now)}`,
  ])
  return markdownTable(['query', '', 'before → now'], rows)
}
