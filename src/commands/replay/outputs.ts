import { writeFile } from 'node:fs/promises'
import type { GoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { lossBudget } from '../../evaluation/loss/budget.ts'
import { worstQuestions } from '../../evaluation/loss/worst.ts'
import type { MeasureName } from '../../evaluation/metrics/measures.ts'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { reportJson } from '../../evaluation/report/json.ts'
import { lossText } from '../../evaluation/report/loss/text.ts'
import { replayMarkdown } from '../../evaluation/report/markdown/replay.ts'
import { reportText, type TextOptions } from '../../evaluation/report/text.ts'
import { summarize } from '../../evaluation/summary/summarize.ts'

export interface OutputOptions extends TextOptions {
  /** The arm that the others are compared with. */
  against: string
  /** The measure of the main table. */
  measure: MeasureName
  /** File for the summary and the figures of every query. */
  json?: string
  /** File for a summary of pull requests. */
  markdown?: string
  /** What was typed, for the Markdown. */
  command: string
  /** Whether to tell where answer recall is lost. */
  explain: boolean
}

/** Prints the tables, and writes the files that were asked for. @param sets of the replay, in the order of the report */
export async function writeOutputs(
  report: ReplayReport,
  sets: readonly GoldenSet[],
  { against, measure, by, json, markdown, command, explain }: OutputOptions,
  out: NodeJS.WritableStream,
): Promise<void> {
  const summary = summarize(report, { against, measure })
  out.write(reportText(summary, { by }))
  const losses = explain ? { budget: lossBudget(report, against), worst: worstQuestions(report, sets) } : null
  if (losses) out.write(`\n${lossText(losses.budget, losses.worst, against)}`)
  if (json) await writeFile(json, reportJson(report, summary, losses))
  if (markdown) await writeFile(markdown, replayMarkdown(report, summary, command))
}
