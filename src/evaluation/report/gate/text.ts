import { terminalText } from '../../../text/printable.ts'
import type { GateResult, GateTest } from '../../gate/judge.ts'
import { MEASURES } from '../../metrics/measures.ts'
import { pText, reportOf, signedText, titleOf, valueText } from '../numbers.ts'
import { LIMITED_RULES, newTable } from '../table.ts'

/** Prints the verdict of a gate, the table of its tests, and for each change the queries that lost or won most. */
export function gateText(result: GateResult, file: string): string {
  const { faults, planChanges, tests } = result
  const table = newTable(COLUMNS, LIMITED_RULES)
  for (const test of tests) table.push(cellsOf(test))
  const changed = tests.filter(({ verdict }) => verdict !== 'unchanged')
  return reportOf([
    table.toString(),
    planChanges.map(change => `plan value changed: ${change}`).join('\n'),
    faults.map(fault => `FAULT ${fault}`).join('\n'),
    ...changed.map(changeText),
    sensitivity(tests),
    verdictText(result, file),
  ])
}

/** One sentence: whether the gate passed, and what to do. */
export function verdictText({ passed, tests, faults }: GateResult, file: string): string {
  const worse = tests.filter(({ verdict }) => verdict === 'worse').map(nameOf)
  if (!passed) return `gate failed: ${[...worse.map(name => `${name} is worse`), ...faults].join('; ')}`
  const better = tests.filter(({ verdict }) => verdict === 'better').map(nameOf)
  if (better.length === 0) return 'gate passed: no measure is worse than the baseline'
  return `gate passed: ${better.join(', ')} better than the baseline: update it with --update-baseline ${file}`
}

/** For example `answer recall at 1000 tokens`. */
export function nameOf({ measure, budget }: Pick<GateTest, 'measure' | 'budget'>): string {
  return `${MEASURES[measure].title} at ${budget} tokens`
}

export const COLUMNS = ['measure', 'tokens', 'before', 'now', 'difference', 'p', 'lost', 'won', 'verdict']

/** The cells of a test under `COLUMNS`. */
export function cellsOf(test: GateTest): string[] {
  const { measure, budget, before, now, difference, adjustedP, lost, won, verdict } = test
  const [middle, from, to] = [difference.mean, difference.low, difference.high].map(value => signedText(measure, value))
  return [
    titleOf(measure),
    String(budget),
    valueText(measure, before),
    valueText(measure, now),
    `${middle} [${from},${to}]`,
    pText(adjustedP),
    String(lost),
    String(won),
    verdict,
  ]
}

function changeText(test: GateTest): string {
  const { measure, most, verdict, lost, won } = test
  const verb = verdict === 'worse' ? 'lost' : 'won'
  const count = verdict === 'worse' ? lost : won
  const lines = most.map(
    ({ set, id, query, before, now }) =>
      `  ${set}/${id}: ${valueText(measure, before)} → ${valueText(measure, now)}  ${terminalText(query.replace(/\s+/gu, ' ')).slice(0, 80)}`,
  )
  return `${nameOf(test)} is ${verdict}; ${count} queries ${verb}, most of all:\n${lines.join('\n')}`
}

function sensitivity(tests: readonly GateTest[]): string {
  const seen = tests.flatMap(test =>
    test.smallestEffect === null ? [] : [`${nameOf(test)} ${valueText(test.measure, test.smallestEffect)}`],
  )
  return seen.length === 0 ? '' : `smallest differences that these queries would have shown: ${seen.join(', ')}`
}
