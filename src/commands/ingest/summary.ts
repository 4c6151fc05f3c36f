import type { WrittenContexts } from '../../ingest/chunk-contexts.ts'
import { hintsFor } from '../../ingest/documents/formats.ts'
import type { IngestSummary } from '../../ingest/ingest.ts'
import { counted, printable, shownNumber } from '../../text/printable.ts'

export interface CommandSummary extends IngestSummary {
  place: string
  /** Duration of the command. */
  seconds: number
}

/** Ids of pruned documents in the summary; the summary as JSON has all. */
const SHOWN_PRUNED = 20

/** Ids of documents without text in the summary; the summary as JSON has all. */
const SHOWN_EMPTY = 5

/** Kinds of skipped files in the summary, most frequent first. */
const SHOWN_KINDS = 8

/** The summary as lines for a terminal. */
export function summaryText(summary: CommandSummary, dryRun: boolean): string {
  const {
    collection,
    place,
    created,
    source,
    documents,
    unchanged,
    empty,
    chunks,
    tokens,
    written,
    deleted,
    pruned,
    contexts,
  } = summary
  const kinds = Object.entries(summary.skipped).sort(([, a], [, b]) => b - a)
  const skipped = kinds.slice(0, SHOWN_KINDS).map(([kind, count]) => `${shownNumber(count)} ${kind}`)
  const others = kinds.slice(SHOWN_KINDS).reduce((sum, [, count]) => sum + count, 0)
  if (others > 0) skipped.push(`${shownNumber(others)} of other kinds`)
  const lines = [
    `${dryRun ? 'Dry run: nothing was written. ' : ''}${collection} in ${place}${created ? ' (created)' : ''}`,
    ...(source === null ? [] : [`  source ${source}`]),
    `  ${counted(documents, 'document')}, ${shownNumber(unchanged)} of them unchanged${empty.length === 0 ? '' : `, ${shownNumber(empty.length)} without text: ${firstOf(empty, SHOWN_EMPTY)}`}`,
    ...(skipped.length === 0 ? [] : [`  skipped: ${[skipped.join(', '), ...hintsFor(summary.skipped)].join('; ')}`]),
    `  ${counted(chunks, 'chunk')}, ${counted(tokens, 'token')}`,
    `  ${counted(written, 'chunk')} ${dryRun ? 'to write' : 'written'}, ${shownNumber(deleted)} ${dryRun ? 'to delete' : 'deleted'}`,
    ...(contexts === null || dryRun ? [] : [`  ${contextsText(contexts)}`]),
    ...(pruned.length === 0 ? [] : [`  ${counted(pruned.length, 'document')} ${dryRun ? 'to prune' : 'pruned'}:`]),
    ...pruned.slice(0, SHOWN_PRUNED).map(docId => `    ${docId}`),
    ...(pruned.length > SHOWN_PRUNED ? [`    … and ${shownNumber(pruned.length - SHOWN_PRUNED)} more`] : []),
    ...summary.warnings.map(warning => `  warning: ${warning}`),
    `  in ${shownNumber(summary.seconds)} s`,
  ]
  // Names of files and stored ids can hold anything.
  return `${lines.map(line => printable(line)).join('\n')}\n`
}

function firstOf(ids: string[], most: number): string {
  const others = ids.length - most
  return `${ids.slice(0, most).join(', ')}${others > 0 ? ` and ${shownNumber(others)} more` : ''}`
}

function contextsText({ model, written, fallbacks, postponed, quality, usage }: WrittenContexts): string {
  const { input, cached, cacheWritten, output } = usage
  const tokens = input + cached + cacheWritten
  return [
    `${counted(written, 'context')} by ${model}`,
    ...(fallbacks === 0 ? [] : [`${shownNumber(fallbacks)} of them by rules instead`]),
    ...(written === 0 ? [] : [`quality ${quality.toFixed(2)}`]),
    ...(tokens === 0
      ? []
      : [`${counted(tokens, 'token')} in (${shownNumber(cached)} cached), ${shownNumber(output)} out`]),
    ...(postponed === 0
      ? []
      : [`${shownNumber(postponed)} left to the next run, because the endpoint could not answer`]),
  ].join(', ')
}
