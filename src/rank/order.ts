import { compareText } from '../core/collections.ts'
import type { Candidate } from '../core/types.ts'

/** Compares for `sort`: best value first, equal values by key, so that the order of the input has no effect. */
export function byValue(a: Candidate, b: Candidate): number {
  return b.value - a.value || compareText(a.key, b.key)
}
