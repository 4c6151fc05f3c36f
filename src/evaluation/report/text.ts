import { counted } from '../../text/printable.ts'
import { MEASURES, type MeasureName } from '../metrics/measures.ts'
import {
  type ArmSummary,
  AVERAGE,
  type Figure,
  type ReplaySummary,
  type SliceBy,
  type SliceSummary,
} from '../summary/summary.ts'
import { differenceText, millisecondsText, pText, reportOf, titleOf, unpairedLines, valueText } from './numbers.ts'
import { LIMITED_RULES, newTable } from './table.ts'
import { fewQuestions, setSlices, warningsOf } from './warnings.ts'

export interface TextOptions {
  /** Prints the main measure of these slices too. */
  by?: Exclude<SliceBy, 'all' | 'set'> | undefined
}

/** Prints a summary for terminals: for each set the main measure by budget and the other measures on average, verdicts and warnings. */
export function reportText(summary: ReplaySummary, { by }: TextOptions = {}): string {
  const sets = setSlices(summary).map((slice, index) => {
    const facts = setFacts(summary, index)
    const notes = unpairedLines(slice, summary.budgets).map(wrapped)
    return [`${slice.value}: ${facts}`, budgetTable(slice, summary), measureTable(slice, summary), ...notes].join('\n')
  })
  const [all] = summary.slices
  const macro = summary.sets.length > 1 && all ? [`all sets, with equal weights\n${budgetTable(all, summary)}`] : []
  const slices = summary.slices
    .filter(slice => slice.by === by)
    .map(
      slice =>
        `${slice.by} ${slice.value}: ${fewQuestions(slice.n)[0] ?? counted(slice.n, 'query', 'queries')}\n${budgetTable(slice, summary)}`,
    )
  const verdicts = verdictLines(summary).join('\n')
  return reportOf([...sets, ...macro, ...slices, legend(summary), verdicts, warningsOf(summary).join('\n')])
}

function setFacts({ sets }: ReplaySummary, index: number): string {
  const { n, documents, chunks, embedder } = sets[index] ?? { n: 0, documents: 0, chunks: 0, embedder: null }
  return `${counted(n, 'query', 'queries')} · ${counted(documents, 'document')} · ${counted(chunks, 'chunk')} · embedder ${embedder ?? 'none'}`
}

/** The main measure at every budget; below each value the difference to the reference arm and its interval. */
function budgetTable(slice: SliceSummary, { measure, budgets }: ReplaySummary): string {
  const columns = [...budgets.map(String), AVERAGE]
  const table = newTable([titleOf(measure), ...columns])
  for (const { arm, figures } of slice.arms)
    table.push([brokenName(arm), ...columns.map(at => figureCell(measure, figures[measure]?.[at], '\n'))])
  return table.toString()
}

/** The other measures on average over the budgets, the knee and the latency; one line for each. */
function measureTable({ arms }: SliceSummary, { measure, measures }: ReplaySummary): string {
  const table = newTable(['on average', ...arms.map(({ arm }) => brokenName(arm))], LIMITED_RULES)
  for (const other of measures.filter(name => name !== measure))
    table.push([titleOf(other), ...arms.map(({ figures }) => figureCell(other, figures[other]?.[AVERAGE], ' '))])
  table.push(['knee', ...arms.map(({ knee }) => knee ?? '-')])
  for (const share of ['p50', 'p95'] as const)
    table.push([`${share}, ms`, ...arms.map(({ latency }) => millisecondsText(latency.total?.[share]))])
  return table.toString()
}

function figureCell(measure: MeasureName, figure: Figure | undefined, separator: string): string {
  if (figure === undefined) return '-'
  const value = valueText(measure, figure.mean)
  return figure.against ? `${value}${separator}${differenceText(measure, figure.against, separator)}` : value
}

function verdictLines(summary: ReplaySummary): string[] {
  const [all] = summary.slices
  return (all?.arms ?? []).flatMap(arm => {
    const against = averageOf(arm, summary)?.against
    if (!against) return []
    const { verdict, adjustedP, smallestEffect } = against
    const seen = smallestEffect === null ? '' : `; smallest effect seen ${valueText(summary.measure, smallestEffect)}`
    const figures = `${differenceText(summary.measure, against)}, p ${pText(adjustedP)}${seen}`
    return [`${arm.arm} against ${summary.against}: ${verdict}, ${figures}${bySet(arm.arm, summary)}`]
  })
}

function bySet(arm: string, summary: ReplaySummary): string {
  const words = summary.slices
    .filter(({ by }) => by === 'set')
    .map(({ value, arms }) => {
      const ofArm = arms.find(other => other.arm === arm)
      return `${value} ${ofArm && averageOf(ofArm, summary)?.against?.verdict}`
    })
  return words.length > 0 ? ` (${words.join(', ')})` : ''
}

function averageOf(arm: ArmSummary, { measure }: ReplaySummary): Figure | undefined {
  return arm.figures[measure]?.[AVERAGE]
}

function legend({ measure, against, bootstrap, chunkTokens, parallel }: ReplaySummary): string {
  const { title, meaning } = MEASURES[measure]
  const { resamples, seed } = bootstrap
  return [
    `${title}: ${meaning}; chunks of ${chunkTokens} tokens`,
    `with a sign: the difference to ${against}, and its paired 95 % interval over queries (bootstrap, ${resamples} resamples, seed ${seed})`,
    '* helps or hurts: the interval excludes 0, and p < .05 by the paired randomization test, adjusted for the arms (Holm)',
    'smallest effect seen: the smallest true difference that these queries would have shown in four of five replays',
    'knee: the budget from which more tokens add little answer recall',
    ...(parallel > 1 ? [`ms: the time of one query with ${parallel} in flight; --parallel 1 has clean times`] : []),
  ]
    .map(wrapped)
    .join('\n')
}

/** Columns of a terminal that the report is made for. */
const WIDTH = 120

/** Breaks a line at spaces; the rest is indented. A word that is longer than a line, such as the name of an arm, stays whole. */
function wrapped(line: string): string {
  const isBreakable = /\S /u.test(line.slice(0, WIDTH + 1))
  const end = isBreakable ? line.lastIndexOf(' ', WIDTH) : line.indexOf(' ', WIDTH)
  if (line.length <= WIDTH || end < 0) return line
  return `${line.slice(0, end)}\n${wrapped(`  ${line.slice(end + 1)}`)}`
}

/** Long names of arms are broken at their signs, so that the table stays narrow. */
function brokenName(arm: string): string {
  return arm.length <= 24 ? arm : arm.replace(/[:,]|\.(?=[a-z])/gu, '$&\n')
}
