import { raiseTo } from '../../core/collections.ts'
import type { Candidate } from '../../core/types.ts'

interface Weighted {
  unit: { candidate: Candidate }
  marginal: number
  /** Keys of candidates that hold text which was left out of this unit. */
  holders?: ReadonlySet<string> | undefined
}

/**
 * Raises the marginal value of what holds text for a more valuable unit to the value of that unit. So it is removed later when the context is
 * over the budget, and no text gets lost that was left out because it was packed.
 * @param selected in the order of selection: what holds text comes before what lacks it
 */
export function raiseHolders<Selected extends Weighted>(selected: readonly Selected[]): Selected[] {
  const needed = new Map<string, number>()
  const raised: Selected[] = []
  for (const each of [...selected].reverse()) {
    const marginal = Math.max(each.marginal, needed.get(each.unit.candidate.key) ?? 0)
    for (const key of each.holders ?? []) raiseTo(needed, key, marginal)
    raised.push(marginal === each.marginal ? each : { ...each, marginal })
  }
  return raised.reverse()
}
