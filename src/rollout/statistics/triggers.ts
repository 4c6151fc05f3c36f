import type { RollbackTrigger } from '../../core/vocabulary.ts'

/**
 * The harm that rolls an experiment back, against the control: in shares (0.01 is one percentage point), for `latency` relative to the
 * 95th percentile of the control.
 */
export const TRIGGER_HARM: Readonly<Record<RollbackTrigger, number>> = {
  error_rate: 0.01,
  latency: 0.2,
  recall_proxy: 0.05,
}

/**
 * By how much the mean of one unit can plausibly differ from the rest, in shares. A session can fail as a whole. The recall proxy of a
 * session moves by about a fifth.
 */
export const UNIT_DEVIATION = { failed: 1, recallProxy: 0.2 } as const
