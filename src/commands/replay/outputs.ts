import { writeFile } from 'node:fs/promises'
import type { MeasureName } from '../../evaluation/metrics/measures.ts'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { reportJson } from '../../evaluation/report/json.ts'
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
}

/** Prints the tables, and writes the files that were asked for. */
export async function writeOutputs(
  report: ReplayReport,
  { against, measure, by, json, markdown, command }: OutputOptions,
  out: NodeJS.WritableStream,
): Promise<void> {
  const summary = summarize(report, { against, measure })
  out.write(reportText(summary, by === undefined ? {} : { by }))
  if (json) await writeFile(json, reportJson(report, summary))
  if (markdown) await writeFile(markdown, replayMarkdown(report, summary, command))
}
