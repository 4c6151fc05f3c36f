import type { Candidate, Chunk, Dropped, FilterResult } from '../core/types.ts'
import { dedupe } from '../rank/dedupe.ts'
import { expandNeighbours, missingNeighbours, type NeighbourPlace, propagateScores } from '../rank/reunify.ts'
import type { Plan } from './plan/plan.ts'
import type { RunRecord } from './run-record.ts'

export interface ReunifyInput {
  plan: Plan
  /** Fetches chunks by their places; null when this is not possible. */
  fetchNeighbours: ((places: NeighbourPlace[]) => Promise<Chunk[]>) | null
  count: (text: string) => number
}

/**
 * Section reunification: propagates values to neighbours, fetches missing neighbours, raises neighbours to a share of the value
 * of their candidate, and drops duplicates.
 * @param dropped candidates of earlier steps; a neighbour among those cut by rank is restored
 */
export async function reunify(
  candidates: Candidate[],
  dropped: Dropped[],
  input: ReunifyInput,
  record: RunRecord,
): Promise<FilterResult> {
  const { enabled, propagation, documentShare, expansion, scope, fetch } = input.plan.reunification
  if (!enabled) return { kept: candidates, dropped }
  const spread = propagateScores(candidates, propagation, documentShare)
  if (expansion === 0) return { kept: spread, dropped }
  const places = fetch
    ? missingNeighbours(withinBudget(spread, input), [...spread, ...dropped.map(({ candidate }) => candidate)])
    : []
  const fetched = await fetchOrDegrade(places, input, record)
  const expanded = expandNeighbours(spread, dropped, fetched, expansion, scope)
  const distinct = dedupe(expanded.candidates, input.plan.dedupe.containment)
  return { kept: distinct.kept, dropped: [...expanded.dropped, ...distinct.dropped] }
}

/** The candidates that fit into the budget. Neighbours rank below their candidate, so the others need no neighbours. */
function withinBudget(candidates: Candidate[], { plan, count }: ReunifyInput): Candidate[] {
  let used = 0
  return candidates.filter(({ chunk }) => {
    if (used > plan.budgetTokens) return false
    used += count(chunk.text)
    return true
  })
}

async function fetchOrDegrade(
  places: NeighbourPlace[],
  { fetchNeighbours }: ReunifyInput,
  record: RunRecord,
): Promise<Chunk[]> {
  if (!fetchNeighbours || places.length === 0) return []
  try {
    return await fetchNeighbours(places)
  } catch (error) {
    record.degrade('neighbours_unavailable', error instanceof Error ? error.message : String(error))
    return []
  }
}
