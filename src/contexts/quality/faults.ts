import type { ContextFaultCode } from '../../core/vocabulary.ts'

/** What is wrong with a context. */
export interface ContextFault {
  code: ContextFaultCode
  /** What it takes from the score, in (0,1]. */
  penalty: number
}

/** What each fault takes from the score at most. */
export const MOST_PENALTY: Readonly<Record<ContextFaultCode, number>> = {
  empty: 1,
  refusal: 1,
  markup: 0.6,
  meta_talk: 0.5,
  generic_opening: 0.5,
  too_short: 0.8,
  too_long: 0.8,
  shares_nothing: 0.5,
  adds_nothing: 0.6,
  invented: 0.8,
  other_language: 0.8,
}
