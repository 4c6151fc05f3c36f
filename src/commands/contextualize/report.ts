import type { TokenUsage } from '../../contexts/context.ts'
import type { ContextualizeResult } from '../../contextualize/contextualize.ts'
import type { Coverage } from '../../contextualize/report/coverage.ts'
import type { Estimate } from '../../contextualize/report/estimate.ts'
import { replacedTexts } from '../../contextualize/report/replaced.ts'
import type { SampledContext } from '../../contextualize/report/sample.ts'
import type { RollbackResult } from '../../contextualize/rollback.ts'
import type { Spending } from '../../contextualize/state/spending.ts'
import { counted, printable, shownNumber } from '../../text/printable.ts'

const lines = (texts: readonly string[]): string => `${texts.join('\n')}\n`

/** "$1.25"; small sums have four places. */
export function shownDollars(dollars: number | null): string {
  if (dollars === null) return 'price unknown'
  return `$${dollars.toFixed(dollars > 0 && dollars < 1 ? 4 : 2)}`
}

export function resultText(
  collection: string,
  result: ContextualizeResult & { warnings: string[] },
  dollars: number | null,
): string {
  const { points, withoutText, before, stored, left, stoppedBy, spending, warnings } = result
  const total = points - withoutText
  return lines([
    ...(stoppedBy === 'budget'
      ? [
          `stopped at the budget: ${shownNumber(total - left)} of ${shownNumber(total)}; run again with a higher --budget-usd to go on`,
        ]
      : []),
    ...(stoppedBy === 'changes'
      ? [`${counted(left, 'point keeps', 'points keep')} changing; run again when the others have ended`]
      : []),
    `${collection}: ${counted(total, 'chunk')}, ${shownNumber(before)} had a context, ${shownNumber(stored)} were stored, ${shownNumber(left)} are left`,
    ...(withoutText === 0 ? [] : [`  ${counted(withoutText, 'point has', 'points have')} no text`]),
    ...replacedTexts(result).map(text => `  ${text}`),
    `  spent by all runs: ${spendingText(spending)}, ${shownDollars(dollars)}`,
    ...warnings.map(warning => `  warning: ${printable(warning)}`),
  ])
}

export function estimateText(
  collection: string,
  estimate: Estimate & { model: string },
  dollars: number | null,
): string {
  const { points, left, documents, usage, seconds, model, withoutText } = estimate
  return lines([
    'Dry run: nothing was written, and no model was asked.',
    `${collection}: ${counted(points, 'point')}, ${counted(left, 'context')} to write in ${counted(documents, 'document')}`,
    ...(withoutText === 0 ? [] : [`  ${counted(withoutText, 'point has', 'points have')} no text`]),
    `  ${model}: ${usageText(usage)}`,
    `  ${shownDollars(dollars)}, about ${shownNumber(Math.ceil(seconds / 60))} min at 2 s per request`,
  ])
}

/** @param asked for so many */
export function samplesText(samples: readonly SampledContext[], asked: number): string {
  return lines([
    ...samples.flatMap(({ id, docId, sectionPath, text, context }, index) => [
      `--- ${index + 1} of ${samples.length}: point ${id}, ${docId}${sectionPath === '' ? '' : `, ${sectionPath}`}`,
      `context (${context.model}, quality ${context.quality.toFixed(2)}${context.fallback === null ? '' : `, ${context.fallback}`}):`,
      `  ${context.text === '' ? '(nothing that the chunk and its section path do not say)' : context.text}`,
      'chunk:',
      ...text.split('\n').map(line => `  ${line}`),
      '',
    ]),
    ...(samples.length < asked
      ? [`${shownNumber(samples.length)} of ${shownNumber(asked)}: there are no more chunks, or the budget is used up`]
      : []),
  ])
}

export function rollbackText(collection: string, result: RollbackResult & { warnings: string[] }): string {
  const { restored, encoded, payloadOnly, warnings } = result
  return lines([
    `${collection}: the contexts are taken out of ${counted(restored + encoded + payloadOnly, 'point')}`,
    `  ${shownNumber(restored)} have their former vectors`,
    ...(encoded === 0
      ? []
      : [
          `  ${shownNumber(encoded)} were encoded anew: their former vectors are not in the state folder, or their text has changed`,
        ]),
    ...(payloadOnly === 0 ? [] : [`  ${shownNumber(payloadOnly)} lost the fields of a context only`]),
    ...warnings.map(warning => `  warning: ${printable(warning)}`),
  ])
}

export function coverageText(
  collection: string,
  status: Coverage & { spending: Spending },
  dollars: number | null,
): string {
  const { points, withoutText, withContext, outdated, byModel, byQuality, tokens, spending } = status
  const share = points - withoutText === 0 ? 100 : (100 * withContext) / (points - withoutText)
  const counts = (of: Record<string, number>): string =>
    Object.entries(of)
      .sort()
      .map(([key, count]) => `${key}: ${shownNumber(count)}`)
      .join(', ') || 'none'
  return lines([
    `${collection}: ${shownNumber(withContext)} of ${shownNumber(points - withoutText)} chunks have a context (${share.toFixed(1)} %)`,
    ...(outdated === 0 ? [] : [`  ${counted(outdated, 'context is', 'contexts are')} of a text that has changed`]),
    `  by model: ${counts(byModel)}`,
    `  by quality, from: ${counts(byQuality)}`,
    `  ${counted(tokens, 'token')} of contexts`,
    `  spent by all runs: ${spendingText(spending)}, ${shownDollars(dollars)}`,
  ])
}

function spendingText(spending: Spending): string {
  const models = Object.entries(spending).filter(([, { calls }]) => calls > 0)
  return (
    models.map(([model, { calls, usage }]) => `${model} ${counted(calls, 'call')}, ${usageText(usage)}`).join('; ') ||
    'no calls'
  )
}

function usageText({ input, cached, cacheWritten, output }: TokenUsage): string {
  return `${counted(input + cacheWritten, 'token')} in, ${shownNumber(cached)} cached, ${shownNumber(output)} out`
}
