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
 * not a candidate counting 0 and the place before the first chunk not counting at all.
 * @param share 0 is off
 */
export function smooth(candidates: readonly Candidate[], share: number): Candidate[] {
  if (share === 0) return [...candidates]
  const values = new Map(candidates.map(candidate => [placeKey(candidate.chunk), candidate.value]))
  return candidates
    .map(candidate => {
      const around = neighboursOf(candidate.chunk)
      if (around.length === 0) return { ...candidate, value: candidate.value * (1 + share) }
      const sum = around.reduce((total, place) => total + (values.get(placeKey(place)) ?? 0), 0)
      return { ...candidate, value: candidate.value + (share * sum) / around.length }
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
 */
export function grow(
  candidates: readonly Candidate[],
  dropped: readonly Dropped[],
  fetched: readonly Chunk[],
  factor: number,
) {
  if (factor === 0) return { candidates: [...candidates], dropped: [...dropped] }
  const worth = new Map<string, number>()
  for (const { chunk, value } of candidates) {
    for (const place of neighboursOf(chunk)) {
      const key = placeKey(place)
      worth.set(key, Math.max(worth.get(key) ?? 0, factor * value))
    }
  }
  const raise = (candidate: Candidate) => ({
    ...candidate,
    value: Math.max(candidate.value, worth.get(placeKey(candidate.chunk)) ?? 0),
  })
  const isCut = ({ reason, candidate }: Dropped) =>
    (reason === 'fused_cut' || reason === 'rerank_cut') && worth.has(placeKey(candidate.chunk))
  const promoted = dropped.filter(isCut).map(({ candidate }) => ({ ...candidate, value: 0 }))
  const arrived = fetched
    .map(chunk => newCandidate(chunk, 'neighbour'))
    .filter(({ chunk }) => worth.has(placeKey(chunk)))
  const grown = [...candidates, ...promoted, ...arrived].map(raise).sort(byValue)
  return { candidates: grown, dropped: dropped.filter(drop => !isCut(drop)) }
}

function neighboursOf({ collection, docId, orderIndex }: Chunk): NeighbourPlace[] {
  if (orderIndex === null || docId === '') return []
  const after = { collection, docId, orderIndex: orderIndex + 1 }
  return orderIndex > 0 ? [{ collection, docId, orderIndex: orderIndex - 1 }, after] : [after]
}

function placeKey({
  collection,
  docId,
  orderIndex,
}: {
  collection: string
  docId: string
  orderIndex: number | null
}): string {
  return JSON.stringify([collection, docId, orderIndex])
}
