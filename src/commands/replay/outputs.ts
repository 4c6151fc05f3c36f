import { writeFile } from 'node:fs/promises'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { reportJson } from '../../evaluation/report/json.ts'
import { reportText } from '../../evaluation/report/text.ts'
import { summarize } from '../../evaluation/summary/summarize.ts'

export interface OutputOptions {
  /** The arm that the others are compared with. */
  against: string
  /** File for the figures of every query. */
  json?: string
}

/** Prints the tables, and writes the files that were asked for. */
export async function writeOutputs(
  report: ReplayReport,
  { against, json }: OutputOptions,
  out: NodeJS.WritableStream,
): Promise<void> {
  const summary = summarize(report, { against })
  out.write(reportText(summary))
  if (json) await writeFile(json, reportJson(report, summary))
}
