import { documentKey, placeKey } from '../core/keys.ts'
import type { Candidate, Chunk, Dropped } from '../core/types.ts'
import { newCandidate } from './collect.ts'
import { byValue } from './order.ts'

/** A place next to a candidate's, in the same document. */
export interface NeighbourPlace {
  collection: string
  docId: string
  orderIndex: number
}

/**
 * Section reunification, first half: each value gains `share` times the mean of its two neighbours' values, a neighbour that is
 * not a candidate counting 0 and the place before the first chunk not counting at all; and `documentShare` times the best value of
 * its document: where one passage answers, its document deserves a little trust.
 * @param share 0 is off
 * @param documentShare 0 is off
 */
export function propagateScores(candidates: readonly Candidate[], share: number, documentShare: number): Candidate[] {
  const values = new Map(candidates.map(candidate => [placeKey(candidate.chunk), candidate.value]))
  const best = new Map<string, number>()
  for (const { chunk, value } of candidates) {
    const document = documentKey(chunk)
    best.set(document, Math.max(best.get(document) ?? 0, value))
  }
  return candidates
    .map(candidate => {
      const around = neighboursOf(candidate.chunk).map(place => values.get(placeKey(place)) ?? 0)
      const mean = around.length > 0 ? around.reduce((sum, value) => sum + value, 0) / around.length : candidate.value
      const ofDocument = best.get(documentKey(candidate.chunk)) ?? candidate.value
      return { ...candidate, value: candidate.value + share * mean + documentShare * ofDocument }
    })
    .sort(byValue)
}

/** Neighbours of the given candidates that are neither among them nor among those already dropped. */
export function missingNeighbours(candidates: readonly Candidate[], all: readonly Candidate[]): NeighbourPlace[] {
  const known = new Set(all.map(({ chunk }) => placeKey(chunk)))
  const missing = new Map<string, NeighbourPlace>()
  for (const { chunk } of candidates) {
    for (const place of neighboursOf(chunk)) if (!known.has(placeKey(place))) missing.set(placeKey(place), place)
  }
  return [...missing.values()]
}

/**
 * Section reunification, second half: a neighbour of a candidate is worth at least `factor` times that candidate, so that a passage
 * which answers in part brings the rest of its section. Neighbours come from the candidates themselves, from those cut by
 * rank, and from `fetched`; one hop only.
 * @param factor in [0,1); 0 is off
 * @param scope whether a neighbour must be of the candidate's own section
 */
export function expandNeighbours(
  candidates: readonly Candidate[],
  dropped: readonly Dropped[],
  fetched: readonly Chunk[],
  factor: number,
  scope: 'section' | 'document',
): { candidates: Candidate[]; dropped: Dropped[] } {
  if (factor === 0) return { candidates: [...candidates], dropped: [...dropped] }
  const worth = new Map<string, number>()
  for (const { chunk, value } of candidates) {
    for (const place of neighboursOf(chunk)) {
      const key = scopedKey(place, chunk.sectionPath, scope)
      worth.set(key, Math.max(worth.get(key) ?? 0, factor * value))
    }
  }
  const worthOf = ({ chunk }: Candidate) => worth.get(scopedKey(chunk, chunk.sectionPath, scope))
  const raise = (candidate: Candidate) => ({ ...candidate, value: Math.max(candidate.value, worthOf(candidate) ?? 0) })
  const isCut = ({ reason, candidate }: Dropped) =>
    (reason === 'below_pool' || reason === 'rerank_cut') && worthOf(candidate) !== undefined
  const promoted = dropped.filter(isCut).map(({ candidate }) => ({ ...candidate, value: 0 }))
  const arrived = fetched
    .map(chunk => newCandidate(chunk, 'neighbour'))
    .filter(candidate => worthOf(candidate) !== undefined)
  const grown = [...candidates, ...promoted, ...arrived].map(raise).sort(byValue)
  return { candidates: grown, dropped: dropped.filter(drop => !isCut(drop)) }
}

/** A place as growth sees it: the same place under another section is another place when growth stays in the section. */
function scopedKey(place: Parameters<typeof placeKey>[0], sectionPath: string, scope: 'section' | 'document'): string {
  return scope === 'section' ? `${placeKey(place)}${sectionPath}` : placeKey(place)
}

function neighboursOf({ collection, docId, orderIndex }: Chunk): NeighbourPlace[] {
  if (orderIndex === null || docId === '') return []
  const after = { collection, docId, orderIndex: orderIndex + 1 }
  return orderIndex > 0 ? [{ collection, docId, orderIndex: orderIndex - 1 }, after] : [after]
}
