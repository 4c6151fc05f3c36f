import type { PointId } from '../../core/types.ts'
import type { Caller } from '../../pipeline/caller.ts'
import { refuseOthers } from '../../qdrant/condition.ts'
import { withoutUpstreamKey } from '../../qdrant/errors.ts'
import type { Passage, Passages } from './schemas.ts'

export interface PointName {
  collection: string
  id: PointId
}

/** Reads points with the key and the condition of the caller. Points that it may not read are left out. It rejects with a StowageError. */
export type ReadPassages = (points: readonly PointName[], caller: Caller) => Promise<Passage[]>

/**
 * The texts of points, as far as the caller may read them.
 * @throws StowageError `forbidden` for a collection that the tenant does not reach, and as Qdrant answers
 */
export async function passagesOf(
  points: readonly PointName[],
  caller: Caller,
  read: ReadPassages,
): Promise<Passages['passages']> {
  refuseOthers([...new Set(points.map(({ collection }) => collection))], caller)
  const named = points.map(({ collection, id }) => ({ collection, id: exactId(id) }))
  return read(named, caller).catch(error => Promise.reject(withoutUpstreamKey(error, caller)))
}

/** Digits in a text are a number of up to 64 bits: a UUID has 32 signs. */
function exactId(id: PointId): PointId {
  if (typeof id !== 'string' || !/^\d{1,20}$/u.test(id)) return id
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : BigInt(id)
}
