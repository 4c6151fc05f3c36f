import { groupBy } from '../../core/collections.ts'
import { messageOf } from '../../core/errors.ts'
import { parentKey, pointKey } from '../../core/keys.ts'
import type { CountTokens } from '../../core/ports.ts'
import type { Candidate, Chunk, PointId } from '../../core/types.ts'
import { LEAST_CHILDREN } from '../../pack/parent-expansion.ts'
import { type Pace, RANKING_GRACE_MS } from '../pacing/pace.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord } from '../run-record.ts'
import { withinBudget } from './within-budget.ts'

interface ParentPoint {
  collection: string
  id: PointId
}

export interface ParentsInput {
  plan: Plan
  /** Fetches parents by their ids; null when this is not possible. */
  fetchParents: ((parents: ParentPoint[]) => Promise<Chunk[]>) | null
  count: CountTokens
}

/**
 * Fetches the parents of the candidates that fit into the budget, where two or more of these have the same one. When they cannot be
 * fetched, the children are packed as they are.
 * @returns the parents by the keys of their points
 * @throws TimeUp at the deadline
 */
export async function parentsOf(
  candidates: readonly Candidate[],
  { plan, fetchParents, count }: ParentsInput,
  record: RunRecord,
  pace: Pace,
): Promise<ReadonlyMap<string, Chunk>> {
  if (fetchParents === null) return new Map()
  const fitting = await pace.run(withinBudget(candidates, plan.budgetTokens, count), RANKING_GRACE_MS)
  const wanted = sharedParents(fitting)
  if (wanted.length === 0) return new Map()
  try {
    return new Map((await fetchParents(wanted)).map(parent => [pointKey(parent), parent]))
  } catch (error) {
    record.degrade('parents_unavailable', messageOf(error))
    return new Map()
  }
}

function sharedParents(candidates: readonly Candidate[]): ParentPoint[] {
  const families = groupBy(candidates, ({ chunk }) => parentKey(chunk))
  return [...families.values()].flatMap(([first, ...others]) => {
    const { collection = '', parentId } = first?.chunk ?? {}
    return parentId === undefined || others.length + 1 < LEAST_CHILDREN ? [] : [{ collection, id: parentId }]
  })
}
