import Table from 'cli-table3'
import type { TraceCandidate } from '../pipeline/trace/schema.ts'
import { shownNumber } from '../text/printable.ts'
import type { DemoResult } from './demo.ts'
import { answerLine } from './side-by-side.ts'

const BAR_WIDTH = 40
const MOST_DROPPED_SHOWN = 8

/** Prints one result: the context, the packed chunks, the dropped candidates with their reasons, and the budget as a bar. */
export function fullText(result: DemoResult): string {
  const { query, trace, degraded } = result
  const intent = trace?.intent ? `${trace.intent.label} (rule ${trace.intent.rule})` : 'unknown'
  return [
    `\n━━ ${query}`,
    `   intent: ${intent}; degraded: ${degraded.map(({ code }) => code).join(', ') || 'nothing'}`,
    '',
    result.context.trimEnd(),
    '',
    packedTable(result),
    droppedTable((trace?.candidates ?? []).filter(({ decision }) => decision === 'dropped')),
    budgetBar(result.tokens, result.budget_tokens),
    `this context ${answerLine(result)}, that of plain top-k ${answerLine(result.top_k)}`,
  ].join('\n')
}

/** For example `budget [██████░░░░] 1,180 of 2,000 tokens (59 %)`. */
function budgetBar(used: number, budget: number): string {
  const share = budget > 0 ? Math.min(1, used / budget) : 0
  const filled = Math.round(share * BAR_WIDTH)
  return `budget [${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}] ${shownNumber(used)} of ${shownNumber(budget)} tokens (${Math.round(share * 100)} %)`
}

function packedTable({ chunks }: DemoResult): string {
  const table = newTable({ packed: 10, section: 56, score: 9, tokens: 9 })
  for (const { citation, section_path, doc_title, order_index, score, tokens } of chunks)
    table.push([citation, `${section_path || doc_title} #${order_index ?? '?'}`, score.toFixed(3), tokens])
  return table.toString()
}

/** `columns` holds the width of each column in characters. */
function newTable(columns: Record<string, number>) {
  const style = { head: [], border: [] }
  return new Table({ head: Object.keys(columns), colWidths: Object.values(columns), style, wordWrap: true })
}

function droppedTable(dropped: readonly TraceCandidate[]): string {
  const table = newTable({ dropped: 13, section: 40, score: 9, why: 38 })
  const shown = [...dropped].sort((a, b) => b.final - a.final).slice(0, MOST_DROPPED_SHOWN)
  for (const { reason, evidence, section_path, doc_id, order_index, final } of shown) {
    const section = `${section_path || doc_id} #${order_index ?? '?'}`
    table.push([reason ?? '', section, final.toFixed(3), evidenceText(evidence)])
  }
  const more = dropped.length - shown.length
  return `${table.toString()}${more > 0 ? `\n… and ${more} more; the trace lists all` : ''}`
}

function evidenceText(evidence: TraceCandidate['evidence']): string {
  return Object.entries(evidence ?? {})
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join(', ')
}
