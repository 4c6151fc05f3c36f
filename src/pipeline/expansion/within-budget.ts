import type { CountTokens } from '../../core/ports.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { slicesOf } from '../../text/slices.ts'

/** The first candidates, whose texts together reach the budget. What belongs to the others would not be packed. */
export function* withinBudget(
  candidates: readonly Candidate[],
  budgetTokens: number,
  count: CountTokens,
): Steps<Candidate[]> {
  const fitting: Candidate[] = []
  let used = 0
  for (const candidate of candidates) {
    if (used > budgetTokens) break
    fitting.push(candidate)
    for (const slice of slicesOf(candidate.chunk.text)) {
      if (used > budgetTokens) break
      used += yield* count(slice)
      yield
    }
  }
  return fitting
}
