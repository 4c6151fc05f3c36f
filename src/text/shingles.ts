import { remembered } from './bounded-cache.ts'
import { rawWords } from './terms.ts'

/** Words in a shingle. */
export const SHINGLE_WORDS = 5

/** All runs of five consecutive words in order, repeats kept; fewer than five words are one run, no words give none. */
export function shingles<Word>(words: readonly Word[]): Word[][] {
  if (words.length === 0) return []
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1)
  return Array.from({ length: count }, (_, start) => words.slice(start, start + SHINGLE_WORDS))
}

/**
 * Hashes (unsigned, 32 bits) of a text's distinct shingles. Two different shingles collide once in four thousand million
 * pairs. Remembered for the texts met last: at most 4,000 texts and a million hashes (about 40 MB).
 */
export const shingleHashes = remembered<ReadonlySet<number>>(
  text => new Set(shingles(rawWords(text).map(hashWord)).map(hashShingle)),
  { entries: 4_000, weight: 1_000_000, weigh: hashes => hashes.size },
)

function hashShingle(words: readonly number[]): number {
  return words.reduce((mixed, word) => Math.imul(mixed ^ word, 0x9e3779b1) ^ (mixed >>> 15), 0) >>> 0
}

/** FNV-1a over UTF-16 code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash
}
