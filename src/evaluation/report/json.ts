import type { LossRow } from '../loss/budget.ts'
import type { LostQuestion } from '../loss/worst.ts'
import type { ReplayReport } from '../replay/results.ts'
import type { ReplaySummary } from '../summary/summary.ts'

/** Where answer recall is lost, by `--explain`. */
interface Losses {
  budget: readonly LossRow[]
  /** For each arm, the worst first. */
  worst: readonly LostQuestion[]
}

/** The document that `--json` writes, version 2: the summary, then the figures of every query. Readers ignore keys that they do not know. */
interface ReplayDocument extends ReplayReport {
  summary: ReplaySummary
  /** Absent without `--explain`. */
  losses?: Losses
}

/** Prints a `ReplayDocument`. */
export function reportJson(report: ReplayReport, summary: ReplaySummary, losses: Losses | null = null): string {
  const document: ReplayDocument = { ...report, version: 2, summary, ...(losses && { losses }) }
  return `${JSON.stringify(document)}\n`
}
