import type { Steps } from '../core/steps.ts'
import { rememberedSteps } from './bounded-cache.ts'
import { slicesOf } from './slices.ts'
import { rawWords } from './terms/terms.ts'

const SHINGLE_WORDS = 5

/**
 * Shingles of a text: all runs of five consecutive words, in order and with repeats. One to four words are one shingle.
 * @param words number of words
 * @param make creates a shingle of the words from `start` to `end` (exclusive)
 */
export function shingles<Shingle>(words: number, make: (start: number, end: number) => Shingle): Shingle[] {
  const found: Shingle[] = []
  const last = Math.max(0, words - SHINGLE_WORDS)
  for (let start = 0; start <= last && words > 0; start++)
    found.push(make(start, Math.min(start + SHINGLE_WORDS, words)))
  return found
}

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

/** Signed 32-bit hashes, which take no memory of their own, of the distinct shingles of a text. Cached for at most 4,000 texts and a million hashes (about 40 MB). */
export const shingleHashes = rememberedSteps(hashShingles, {
  entries: 4_000,
  weight: 1_000_000,
  weigh: hashes => hashes.size,
})

function* hashShingles(text: string): Steps<ReadonlySet<number>> {
  const words: number[] = []
  for (const slice of slicesOf(text)) {
    for (const word of rawWords(slice)) words.push(hashWord(word))
    yield
  }
  return new Set(shingles(words.length, (start, end) => hashShingle(words, start, end)))
}

function hashShingle(words: readonly number[], start: number, end: number): number {
  let mixed = 0
  for (let at = start; at < end; at++) mixed = Math.imul(mixed ^ (words[at] ?? 0), 0x9e3779b1) ^ (mixed >>> 15)
  return mixed
}

/** FNV-1a over UTF-16 code units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash
}
