import Table from 'cli-table3'
import type { Comparison } from '../../statistics/comparison.ts'
import type { ReplayReport } from './replay.ts'
import type { Means, ReplaySummary, SetSummary } from './summary.ts'

/** Prints one table per set, the macro average of several sets, the legend, verdicts and warnings. */
export function reportText(report: ReplayReport, summary: ReplaySummary): string {
  const budgets = report.budgets.map(String)
  const blocks = summary.sets.map((set, index) => {
    const { documents, chunks, embedder } = report.sets[index] ?? {}
    const facts = `${set.n} queries · ${documents} documents · ${chunks} chunks · embedder ${embedder ?? 'none'}`
    return `${set.set}: ${facts}\n${setTable(set, budgets)}`
  })
  if (summary.sets.length > 1) blocks.push(`all sets, with equal weights\n${macroTable(summary, budgets)}`)
  blocks.push(legend(report, summary), ...verdictLines(summary), ...warningLines(report, summary))
  return `${blocks.join('\n\n')}\n`
}

/** Prints one JSON document: the summary, then the figures of every query. */
export function reportJson(report: ReplayReport, summary: ReplaySummary): string {
  return `${JSON.stringify({ summary, ...report })}\n`
}

function setTable(set: SetSummary, budgets: readonly string[]): string {
  const head = ['recall at', ...budgets, 'average', 'all found', 'garbage', 'redundancy', 'knee', 'p50 ms', 'p95 ms']
  const table = newTable(head)
  for (const { arm, budgets: byBudget, average, knee, latency } of set.arms)
    table.push([
      arm,
      ...budgets.map(budget => meansCell(byBudget[budget])),
      meansCell(average),
      points(average.all),
      average.garbage?.toFixed(3) ?? '-',
      average.redundancy.toFixed(2),
      knee ?? '-',
      milliseconds(latency.total?.p50),
      milliseconds(latency.total?.p95),
    ])
  return table.toString()
}

function macroTable(summary: ReplaySummary, budgets: readonly string[]): string {
  const table = newTable(['recall at', ...budgets, 'average', 'all found'])
  for (const arm of summary.macro) {
    const cells = budgets.map(budget => points(arm.budgets[budget] ?? Number.NaN))
    table.push([arm.arm, ...cells, `${points(arm.average)}${comparisonText(arm.against, '\n')}`, points(arm.all)])
  }
  return table.toString()
}

function verdictLines(summary: ReplaySummary): string[] {
  const lines = summary.macro.flatMap(({ arm, against }) => {
    if (!against) return []
    const perSet = summary.sets.map(({ set, arms }) => {
      return `${set} ${arms.find(other => other.arm === arm)?.average.against?.verdict}`
    })
    const details = perSet.length > 1 ? ` (${perSet.join(', ')})` : ''
    return [`${arm} against ${summary.against}: ${against.verdict}${comparisonText(against, ', ')}${details}`]
  })
  return lines.length > 0 ? [lines.join('\n')] : []
}

function warningLines(report: ReplayReport, summary: ReplaySummary): string[] {
  const warnings: string[] = []
  for (const { set, arms } of summary.sets)
    for (const { arm, overrunShare, lost } of arms) {
      const share = points(overrunShare)
      if (overrunShare > 0)
        warnings.push(`${set}: ${arm} exceeded its budget in ${share} % of its runs and was cut at the end`)
      if (lost > 0) warnings.push(`${set}: ${arm} reported ${lost} packed tokens that are not in its contexts`)
    }
  for (const { name, degraded } of report.sets)
    for (const [code, runs] of Object.entries(degraded)) warnings.push(`${name}: ${runs} runs are degraded: ${code}`)
  return warnings.length > 0 ? [warnings.join('\n')] : []
}

function legend({ chunkTokens }: ReplayReport, { against, bootstrap }: ReplaySummary): string {
  return [
    `recall      gold passages in the context, % (at least 90 % of the tokens of each), mean over queries; chunks of ${chunkTokens} tokens`,
    `            second line: difference to ${against} with its paired 95 % bootstrap interval over queries`,
    `            (${bootstrap.resamples} resamples, seed ${bootstrap.seed}); * = the interval excludes 0, and p < .05 by the`,
    '            paired randomization test, adjusted for the number of arms (Holm)',
    'all found   queries with all their gold passages in the context, %',
    'garbage     share of the tokens of the context outside the gold passages',
    'redundancy  1 = no repetition, 2 = all text occurs twice',
    'knee        the budget from which more tokens add little recall',
  ].join('\n')
}

function meansCell(means: Means | undefined): string {
  return means ? `${points(means.recall)}${comparisonText(means.against, '\n')}` : '-'
}

function comparisonText(comparison: Comparison | null, separator: string): string {
  if (!comparison) return ''
  const { difference, verdict } = comparison
  const star = verdict === 'unproven' ? '' : '*'
  return `${separator}${signed(difference.mean)} [${signed(difference.low)},${signed(difference.high)}]${star}`
}

function newTable(head: string[]) {
  return new Table({
    head,
    style: { head: [], border: [] },
    colAligns: ['left', ...head.slice(1).map(() => 'right' as const)],
  })
}

function points(share: number): string {
  return (share * 100).toFixed(1)
}

function signed(share: number): string {
  const text = points(share)
  return share >= 0 && !text.startsWith('-') ? `+${text}` : text
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '-' : value < 10 ? value.toFixed(1) : value.toFixed(0)
}
