import Table from 'cli-table3'
import type { ReplayReport } from './replay.ts'
import type { ArmSummary, Comparison, Means, ReplaySummary, SetSummary } from './summary.ts'

/** The replay as tables for people: one per set, then the macro average, then what deserves a warning. */
export function reportText(report: ReplayReport, summary: ReplaySummary): string {
  const budgets = report.budgets.map(String)
  const blocks = summary.sets.map((set, index) => {
    const { documents, chunks, embedder } = report.sets[index] ?? {}
    const facts = `${set.n} queries · ${documents} documents · ${chunks} chunks · embedder ${embedder ?? 'none'}`
    return `${set.set}: ${facts}\n${setTable(set, budgets)}`
  })
  if (summary.sets.length > 1) blocks.push(`all sets, each weighing the same\n${macroTable(summary, budgets)}`)
  blocks.push(legend(report, summary), ...verdictLines(summary), ...warningLines(report, summary))
  return `${blocks.join('\n\n')}\n`
}

/** The replay as one JSON document: summary first, then every query's figures. */
export function reportJson(report: ReplayReport, summary: ReplaySummary): string {
  return `${JSON.stringify({ summary, ...report })}\n`
}

function setTable(set: SetSummary, budgets: readonly string[]): string {
  const head = ['recall at', ...budgets, 'average', 'all golds', 'garbage', 'redundancy', 'knee', 'p50 ms', 'p95 ms']
  const table = newTable(head)
  for (const arm of set.arms)
    table.push([arm.arm, ...budgets.map(budget => meansCell(arm.budgets[budget])), ...restOf(arm)])
  return table.toString()
}

function restOf({ average, knee, latency }: ArmSummary): string[] {
  return [
    meansCell(average),
    points(average.all),
    average.garbage === null ? '-' : average.garbage.toFixed(3),
    average.redundancy.toFixed(2),
    knee === null ? '-' : String(knee),
    milliseconds(latency.total?.p50),
    milliseconds(latency.total?.p95),
  ]
}

function macroTable(summary: ReplaySummary, budgets: readonly string[]): string {
  const table = newTable(['recall at', ...budgets, 'average', 'all golds'])
  for (const arm of summary.macro) {
    const cells = budgets.map(budget => points(arm.budgets[budget] ?? Number.NaN))
    table.push([arm.arm, ...cells, `${points(arm.average)}${comparisonText(arm.against, '\n')}`, points(arm.all)])
  }
  return table.toString()
}

function verdictLines(summary: ReplaySummary): string[] {
  const several = summary.sets.length > 1
  const lines = summary.macro.flatMap(({ arm, against }) => {
    if (!against) return []
    const perSet = summary.sets.flatMap(set => {
      const verdict = set.arms.find(other => other.arm === arm)?.average.against?.verdict
      return several && verdict ? [`${set.set} ${verdict}`] : []
    })
    const details = perSet.length > 0 ? ` (${perSet.join(', ')})` : ''
    return [`${arm} against ${summary.against}: ${against.verdict}${comparisonText(against, ', ')}${details}`]
  })
  return lines.length > 0 ? [lines.join('\n')] : []
}

function warningLines(report: ReplayReport, summary: ReplaySummary): string[] {
  const warnings = summary.sets.flatMap(({ set, arms }) =>
    arms.flatMap(({ arm, overrunShare, lost }) => [
      ...(overrunShare > 0
        ? [`${set}: ${arm} overran its budget in ${points(overrunShare)} % of runs and was cut blindly to it`]
        : []),
      ...(lost > 0 ? [`${set}: ${arm} says to have packed ${lost} tokens that do not stand in its contexts`] : []),
    ]),
  )
  for (const { name, degraded } of report.sets)
    for (const [code, runs] of Object.entries(degraded)) warnings.push(`${name}: degraded in ${runs} runs: ${code}`)
  return warnings.length > 0 ? [warnings.join('\n')] : []
}

function legend({ chunkTokens }: ReplayReport, { against, bootstrap }: ReplaySummary): string {
  return (
    `Recall in points: gold passages with 90 % of their tokens in the context ÷ gold passages, mean over queries; chunks of ${chunkTokens} tokens.\n` +
    `Below it the difference to ${against} with its paired 95 % bootstrap interval over queries ` +
    `(${bootstrap.resamples} resamples, seed ${bootstrap.seed}); * = the interval excludes 0.`
  )
}

function meansCell(means: Means | undefined): string {
  return means ? `${points(means.recall)}${comparisonText(means.against, '\n')}` : '-'
}

function comparisonText(comparison: Comparison | null, separator: string): string {
  if (!comparison) return ''
  const { difference, verdict } = comparison
  const star = verdict === 'no difference' ? '' : '*'
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
