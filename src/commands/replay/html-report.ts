import { writeFile } from 'node:fs/promises'
import { redactUrls } from '../../core/redact-urls.ts'
import type { AblationReport } from '../../evaluation/ablation/ablation.ts'
import { ablationRows } from '../../evaluation/report/html/data/ablation.ts'
import { type HtmlReportInput, htmlReport } from '../../evaluation/report/html/html-report.ts'

export interface ReportOptions {
  /** File for the HTML report. */
  report?: string
  /** The budget whose contexts and traces it keeps. */
  reportBudget?: number
}

interface FinishedReplay extends Pick<HtmlReportInput, 'report' | 'details' | 'sets' | 'against'> {
  /** The command line that made it. */
  command: string
  /** Of stowage. */
  version: string | null
  /** When the replay was an ablation. */
  ablation?: AblationReport
}

/** Writes the HTML report, when it was asked for. The intervals of an ablation of several sets take minutes, so it says what it does. */
export async function writeHtmlReport(
  { report: file, reportBudget }: ReportOptions,
  { command, version, ablation, ...replay }: FinishedReplay,
  progress: NodeJS.WritableStream,
): Promise<void> {
  if (file === undefined) return
  const { arms, sets } = replay.report
  const queries = sets.reduce((sum, set) => sum + set.queries.length, 0)
  progress.write(`report ${file}: computing intervals of ${arms.length} arms on ${queries} queries\n`)
  const facts = { createdAt: new Date().toISOString(), stowage: version ?? 'unknown', command: redactUrls(command) }
  const html = await htmlReport({
    ...replay,
    ablation: ablation ? ablationRows(ablation) : null,
    facts,
    detailBudget: reportBudget ?? null,
  })
  await writeFile(file, html)
  progress.write(`report ${file}: ${(Buffer.byteLength(html) / 1e6).toFixed(1)} MB\n`)
}
