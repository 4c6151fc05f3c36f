import type { Chunk, PointId, RetrievedHit } from '../core/types.ts'

/** Adds the keyword hits with known dense scores to the dense list. Sorted by score, then id. */
export function extendDense(
  dense: readonly RetrievedHit[],
  keyword: readonly RetrievedHit[],
  scores: ReadonlyMap<PointId, number>,
): RetrievedHit[] {
  const present = new Set(dense.map(hit => hit.chunk.id))
  const added = keyword.flatMap(hit => {
    const score = scores.get(hit.chunk.id)
    return present.has(hit.chunk.id) || score === undefined ? [] : [{ ...hit, score }]
  })
  return [...dense, ...added].sort((a, b) => b.score - a.score || compareIds(a.chunk, b.chunk))
}

function compareIds(a: Chunk, b: Chunk): number {
  const [left, right] = [String(a.id), String(b.id)]
  return left < right ? -1 : left > right ? 1 : 0
}
