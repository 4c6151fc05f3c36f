import { SHINGLE_WORDS, shingles } from './shingles.ts'

/**
 * Words of a text ÷ words covered by its distinct 5-word shingles. A shingle covers the words of its first occurrence. 1 means no
 * repetition (also for fewer than five words), 2 means that all text occurs twice.
 */
export function redundancyOf(words: readonly string[]): number {
  if (words.length < SHINGLE_WORDS) return 1
  const known = new Set<string>()
  let covered = 0
  let coveredUpTo = 0
  const found = shingles(words.length, (start, end) => words.slice(start, end).join(' '))
  for (const [start, shingle] of found.entries()) {
    if (known.has(shingle)) continue
    known.add(shingle)
    covered += start + SHINGLE_WORDS - Math.max(start, coveredUpTo)
    coveredUpTo = start + SHINGLE_WORDS
  }
  return words.length / covered
}
