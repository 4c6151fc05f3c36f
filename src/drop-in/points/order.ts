import type { PointSlice } from './point-slices.ts'

/** The points, each once, in the order in which Qdrant gives them to the client's own request, equal scores included. */
export function inOwnOrder(
  points: ReadonlyMap<string, PointSlice>,
  own: ReadonlyMap<string, number>,
  isFused: boolean,
): PointSlice[] {
  // `own` has the points of a single search in their order. Of a fusion it has those of the client's own request before those of the
  // deeper lists, and the sort is stable.
  const scored = isFused ? [...own].sort(([, a], [, b]) => b - a) : [...own]
  return scored.flatMap(([key]) => points.get(key) ?? [])
}

/**
 * Puts the other points behind the picked ones, so that a client never gets fewer points than from Qdrant: first those that the pipeline
 * left out for another reason than being a duplicate, then the duplicates.
 */
export function withOthers(
  picked: readonly PointSlice[],
  others: readonly PointSlice[],
  duplicates: ReadonlySet<string>,
): PointSlice[] {
  const copies = others.filter(({ key }) => duplicates.has(key))
  return distinct([...picked, ...others.filter(({ key }) => !duplicates.has(key)), ...copies])
}

/** Puts points without text, which nothing here can judge, at the places that Qdrant gave them; the ranked ones take the other places. */
export function withUnreadable(ranked: readonly PointSlice[], own: readonly PointSlice[]): PointSlice[] {
  let next = 0
  const placed = own.flatMap(point => (isReadable(point) ? (ranked[next++] ?? []) : point))
  return [...placed, ...ranked.slice(next)]
}

/** Whether a point has text to choose by. */
export function isReadable({ chunk }: PointSlice): boolean {
  return chunk.text.trim() !== ''
}

/** Each point once, at its first place. */
export function distinct(points: readonly PointSlice[]): PointSlice[] {
  return [...new Map(points.map(point => [point.key, point])).values()]
}
