import { shownNumber } from '../../text/printable.ts'
import type { ContextualizeResult } from '../contextualize.ts'

/** How many of the stored contexts are not of the model, one sentence each; none when all are. */
export function replacedTexts({
  fallbacks,
  postponed,
}: Pick<ContextualizeResult, 'fallbacks' | 'postponed'>): string[] {
  return [
    ...(fallbacks === 0
      ? []
      : [`${shownNumber(fallbacks)} of the stored contexts are of the rules, in the place of those of the model`]),
    ...(postponed === 0
      ? []
      : [`${shownNumber(postponed)} of them because the endpoint could not answer: run again to ask it for them`]),
  ]
}
