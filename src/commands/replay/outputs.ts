import { writeFile } from 'node:fs/promises'
import { reportJson, reportText } from '../../evaluation/replay/report.ts'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { summarize } from '../../evaluation/replay/summary.ts'

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
  const summary = summarize(report, against)
  out.write(reportText(report, summary))
  if (json) await writeFile(json, reportJson(report, summary))
}
