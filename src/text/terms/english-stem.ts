import { stem } from 'porter2'
import { detached, remembered } from '../bounded-cache.ts'

const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu
/** Replaces an astral code point: the rules of the stemmer count letters, not UTF-16 code units. */
const PLACEHOLDER = '\uE000'

/**
 * English stem of a lowercased word without apostrophes, by the Snowball rules ("Porter2") that Qdrant's BM25 uses.
 * Words in other scripts do not change.
 */
export const englishStem = remembered(word => detached(stemCodePoints(word)), {
  entries: 20_000,
  weight: 1_000_000,
  weigh: text => text.length,
})

function stemCodePoints(word: string): string {
  const astral = word.match(ASTRAL)
  if (astral === null) return stem(word)
  let next = 0
  return stem(word.replace(ASTRAL, PLACEHOLDER)).replaceAll(PLACEHOLDER, () => astral[next++] ?? '')
}
