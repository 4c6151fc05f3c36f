import { raiseTo } from '../core/collections.ts'
import { documentKey, placeKey } from '../core/keys.ts'
import type { DocumentPlace } from '../core/ports.ts'
import type { Candidate, Chunk, Dropped } from '../core/types.ts'
import { createCandidate, hasText } from './collect.ts'
import { byValue } from './order.ts'

export interface NeighbourPlace extends DocumentPlace {
  collection: string
}

/**
 * First step of section reunification. Each value gains `share` times the mean value of its neighbours and `documentShare` times the
 * best value of its document. A neighbour that is not a candidate counts as 0. The first chunk has only one neighbour.
 * @param share 0 or above; 0 is off
 * @param documentShare 0 or above; 0 is off
 */
export function propagateScores(candidates: readonly Candidate[], share: number, documentShare: number): Candidate[] {
  const values = new Map(candidates.map(candidate => [placeKey(candidate.chunk), candidate.value]))
  const best = new Map<string, number>()
  for (const { chunk, value } of candidates) raiseTo(best, documentKey(chunk), value)
  return candidates
    .map(candidate => {
      const around = neighboursOf(candidate.chunk).map(place => values.get(placeKey(place)) ?? 0)
      const mean = around.length > 0 ? around.reduce((sum, value) => sum + value, 0) / around.length : candidate.value
      const ofDocument = best.get(documentKey(candidate.chunk)) ?? candidate.value
      return { ...candidate, value: candidate.value + share * mean + documentShare * ofDocument }
    })
    .sort(byValue)
}

/** Places next to the candidates that are in none of `all`. */
export function missingNeighbours(candidates: readonly Candidate[], all: readonly Candidate[]): NeighbourPlace[] {
  const known = new Set(all.map(({ chunk }) => placeKey(chunk)))
  const missing = new Map<string, NeighbourPlace>()
  for (const { chunk } of candidates) {
    for (const place of neighboursOf(chunk)) if (!known.has(placeKey(place))) missing.set(placeKey(place), place)
  }
  return [...missing.values()]
}

/**
 * Second step of section reunification: a neighbour of a candidate gets at least `factor` times its value, because an answer often
 * continues in the next chunk. Neighbours are other candidates, candidates that were cut by rank, and fetched chunks;
 * their own neighbours are not raised.
 * @param fetched chunks at `missingNeighbours`
 * @param factor in [0,1]; 0 is off
 * @param scope whether a neighbour must be in the same section
 */
export function expandNeighbours(
  candidates: readonly Candidate[],
  dropped: readonly Dropped[],
  fetched: readonly Chunk[],
  factor: number,
  scope: 'section' | 'document',
): { candidates: Candidate[]; dropped: Dropped[] } {
  if (factor === 0) return { candidates: [...candidates], dropped: [...dropped] }
  const floors = new Map<string, number>()
  for (const { chunk, value } of candidates) {
    for (const place of neighboursOf(chunk)) raiseTo(floors, scopedKey(place, chunk.sectionPath, scope), factor * value)
  }
  const floorOf = ({ chunk }: Candidate) => floors.get(scopedKey(chunk, chunk.sectionPath, scope))
  const raise = (candidate: Candidate) => ({ ...candidate, value: Math.max(candidate.value, floorOf(candidate) ?? 0) })
  const isCut = ({ reason, candidate }: Dropped) =>
    (reason === 'below_pool' || reason === 'rerank_cut') && floorOf(candidate) !== undefined
  const restored = dropped.filter(isCut).map(({ candidate }) => ({ ...candidate, value: 0 }))
  const added = fetched
    .filter(hasText)
    .map(chunk => createCandidate(chunk, 'neighbour'))
    .filter(candidate => floorOf(candidate) !== undefined)
  const expanded = [...candidates, ...restored, ...added].map(raise).sort(byValue)
  return { candidates: expanded, dropped: dropped.filter(drop => !isCut(drop)) }
}

/** Key of a place. With the scope `section`, the section is a part of the key. */
function scopedKey(place: Parameters<typeof placeKey>[0], sectionPath: string, scope: 'section' | 'document'): string {
  return scope === 'section' ? `${placeKey(place)}${sectionPath}` : placeKey(place)
}

/**
 * The places before and after a chunk; none when its place is unknown. Derived places order and join what is packed, and raise nothing: without
 * sections, rows of one table would raise rows of the next (decision 137).
 */
export function neighboursOf({ collection, docId, orderIndex, isPlaceDerived }: Chunk): NeighbourPlace[] {
  if (orderIndex === null || docId === '' || isPlaceDerived) return []
  const after = { collection, docId, orderIndex: orderIndex + 1 }
  return orderIndex > 0 ? [{ collection, docId, orderIndex: orderIndex - 1 }, after] : [after]
}
