import { messageOf } from '../core/errors.ts'
import type { CountTokens } from '../core/ports.ts'
import type { Candidate, Chunk, Dropped, FilterResult } from '../core/types.ts'
import { createCandidate } from '../rank/collect.ts'
import { dedupe } from '../rank/dedupe.ts'
import { raiseMentioned } from '../rank/mentions.ts'
import { withoutFalsePlaces } from '../rank/places/false-places.ts'
import { expandNeighbours, missingNeighbours, type NeighbourPlace, propagateScores } from '../rank/reunify.ts'
import { withinBudget } from './expansion/within-budget.ts'
import { type Pace, RANKING_GRACE_MS } from './pacing/pace.ts'
import type { Plan } from './plan/plan.ts'
import type { RunRecord } from './run-record.ts'

export interface ReunifyInput {
  plan: Plan
  /** Null on Qdrant's own paths when no question is known. */
  query: string | null
  /** Fetches chunks by their places; null when this is not possible. */
  fetchNeighbours: ((places: NeighbourPlace[]) => Promise<Chunk[]>) | null
  count: CountTokens
}

/**
 * Section reunification: raises what good passages name, propagates values to neighbours, fetches missing neighbours, raises neighbours to a share of the
 * value of their candidate, and drops duplicates. Without a question it does nothing: then the values only repeat the client's own order, and
 * neighbours of a good rank push out better hits as often as they help (docs/drop-in.md).
 * @param dropped candidates of earlier steps; a neighbour among those cut by rank is restored
 * @throws TimeUp at the deadline
 */
export async function reunify(
  candidates: Candidate[],
  dropped: Dropped[],
  input: ReunifyInput,
  record: RunRecord,
  pace: Pace,
): Promise<FilterResult> {
  const { enabled, mentionShare, propagation, documentShare, expansion, scope, fetch } = input.plan.reunification
  if (!enabled || input.query === null) return { kept: candidates, dropped }
  const raised = await pace.run(raiseMentioned(candidates, mentionShare), RANKING_GRACE_MS)
  const spread = propagateScores(raised, propagation, documentShare)
  if (expansion === 0) return { kept: spread, dropped }
  const known = [...spread, ...dropped.map(({ candidate }) => candidate)]
  // Neighbours rank below their candidate, so the candidates over the budget or the limit need none.
  const within = spread.slice(0, input.plan.maxChunks ?? spread.length)
  const fitting = withinBudget(within, input.plan.budgetTokens, input.count)
  const places = fetch ? missingNeighbours(await pace.run(fitting, RANKING_GRACE_MS), known) : []
  const fetched = await fetchOrDegrade(places, input, record)
  // Only with the fetched chunks may it show that different texts stand at one place.
  const around = fetched.map(chunk => createCandidate(chunk, 'neighbour'))
  const placed = await pace.run(withoutFalsePlaces([...spread, ...around]), RANKING_GRACE_MS)
  const neighbours = placed.slice(spread.length).map(({ chunk }) => chunk)
  const expanded = expandNeighbours(placed.slice(0, spread.length), dropped, neighbours, expansion, scope)
  const distinct = await pace.run(
    dedupe(expanded.candidates, input.plan.dedupe.containment, input.query),
    RANKING_GRACE_MS,
  )
  return { kept: distinct.kept, dropped: [...expanded.dropped, ...distinct.dropped] }
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
    record.degrade('neighbours_unavailable', messageOf(error))
    return []
  }
}
