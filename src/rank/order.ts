import { compareText } from '../core/collections.ts'
import type { Candidate } from '../core/types.ts'

/** Best value first; equal values by key, so that equal input gives equal output whatever the order it came in. */
export function byValue(a: Candidate, b: Candidate): number {
  return b.value - a.value || compareText(a.key, b.key)
}
