import { BoundedCache } from './bounded-cache.ts'
import { rawWords, terms } from './terms.ts'

/** Chunks met again and again are read once; longer texts are rare and would crowd out the others. */
const CACHED_TEXTS = 4000
const LONGEST_CACHED = 16_000
const SHINGLE_WORDS = 5

/** A document as BM25 sees it. */
export interface TermCounts {
  /** Occurrences by term. */
  counts: ReadonlyMap<string, number>
  /** Terms in all. */
  length: number
}

/** Counts a text's terms (see `terms`); remembered for the texts met last. */
export const termCounts = remembered<TermCounts>(text => {
  const all = terms(text)
  const counts = new Map<string, number>()
  for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1)
  return { counts, length: all.length }
})

/**
 * Hashes (unsigned, 32 bits) of the distinct runs of five consecutive words; a text shorter than five words is one run, one
 * without words has none. Two different runs collide once in four thousand million pairs. Remembered for the texts met last.
 */
export const shingleHashes = remembered<ReadonlySet<number>>(text => {
  const hashes = rawWords(text).map(hashWord)
  const found = new Set<number>()
  const last = Math.max(0, hashes.length - SHINGLE_WORDS)
  for (let start = 0; start <= last && hashes.length > 0; start++) {
    let mixed = 0
    for (let index = start; index < Math.min(start + SHINGLE_WORDS, hashes.length); index++)
      mixed = Math.imul(mixed ^ (hashes[index] ?? 0), 0x9e3779b1) ^ (mixed >>> 15)
    found.add(mixed >>> 0)
  }
  return found
})

/** FNV-1a over UTF-16 code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash
}

function remembered<Value>(read: (text: string) => Value): (text: string) => Value {
  const cache = new BoundedCache<string, Value>(CACHED_TEXTS)
  return text => {
    const known = cache.get(text)
    if (known !== undefined) return known
    const value = read(text)
    if (text.length <= LONGEST_CACHED) cache.set(text, value)
    return value
  }
}
