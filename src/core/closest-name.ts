import { distance } from 'fastest-levenshtein'

const MOST_EDITS = 2

/** The known name at the smallest edit distance from a name, whatever its case; null above 2 edits. */
export function closestName(name: string, known: readonly string[]): string | null {
  const edits = known.map(one => distance(name.toUpperCase(), one.toUpperCase()))
  const least = Math.min(...edits)
  return least > MOST_EDITS ? null : (known[edits.indexOf(least)] ?? null)
}
