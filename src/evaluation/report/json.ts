import type { ReplayReport } from '../replay/results.ts'
import type { ReplaySummary } from '../summary/summary.ts'

/** Prints one JSON document: the summary, then the figures of every query. */
export function reportJson(report: ReplayReport, summary: ReplaySummary): string {
  return `${JSON.stringify({ summary, ...report })}\n`
}
