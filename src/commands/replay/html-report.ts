import { writeFile } from 'node:fs/promises'
import { StowageError } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { type HtmlReportInput, htmlReport } from '../../evaluation/report/html/html-report.ts'

export interface ReportOptions {
  /** File for the HTML report. */
  report?: string
  /** The budget whose contexts and traces it keeps. */
  reportBudget?: number
}

/** @throws StowageError `bad_request` when the replay does not run at the budget of the report */
export function refuseOtherBudget({ reportBudget }: ReportOptions, budgets: readonly number[]): void {
  if (reportBudget === undefined || budgets.includes(reportBudget)) return
  throw new StowageError(
    'bad_request',
    `--report-budget ${reportBudget} is not among the budgets: ${budgets.join(', ')}`,
  )
}

/** The process of the command. */
export interface ReplayProcess {
  version: string
  /** The words after `stowage`. */
  commandLine: readonly string[]
}

interface FinishedReplay extends Pick<HtmlReportInput, 'report' | 'details' | 'sets' | 'against'> {
  reranker: string | null
  process: ReplayProcess | null
  ablation?: HtmlReportInput['ablation']
}

/** Writes the HTML report, when it was asked for. */
export async function writeHtmlReport(
  { report: file, reportBudget }: ReportOptions,
  { reranker, process, ablation = null, ...replay }: FinishedReplay,
): Promise<void> {
  if (file === undefined) return
  const html = await htmlReport({
    ...replay,
    ablation,
    facts: {
      createdAt: new Date().toISOString(),
      stowage: process?.version ?? 'unknown',
      command: process ? ['stowage', ...process.commandLine.map(quoted)].join(' ') : null,
      reranker,
    },
    detailBudget: reportBudget ?? null,
  })
  await writeFile(file, html)
}

/** A word of a command line as a shell reads it, without passwords of addresses. */
function quoted(word: string): string {
  const shown = redactUrls(word)
  return /^[\w@%+=:,./-]+$/u.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}
