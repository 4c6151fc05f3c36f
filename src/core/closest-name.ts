import { distance } from 'fastest-levenshtein'

const MOST_EDITS = 2

/** The known name at the smallest edit distance from a name, whatever its case; null above 2 edits. */
export function closestName(name: string, known: readonly string[]): string | null {
  const [closest] = closestNames(name, known, 1)
  return closest === undefined || edits(name, closest) > MOST_EDITS ? null : closest
}

/** The known names at the smallest edit distances from a name, the closest first. */
export function closestNames(name: string, known: readonly string[], count: number): string[] {
  const byEdits = known.map(one => ({ one, away: edits(name, one) })).sort((a, b) => a.away - b.away)
  return byEdits.slice(0, count).map(({ one }) => one)
}

const edits = (name: string, other: string): number => distance(name.toUpperCase(), other.toUpperCase())
