import { countOf } from '../core/collections.ts'
import type { SparseVector } from '../core/types.ts'
import { englishStem } from './terms/english-stem.ts'
import { ENGLISH_STOP_WORDS } from './terms/stop-words.ts'

/** Options with their names in Qdrant's inference objects (`{text, model, options}`). */
export interface Bm25Options {
  /** Term frequency saturation, 0 or above. Default 1.2. */
  k?: number
  /** Length normalisation, in [0,1]. Default .75. */
  b?: number
  /** Average document length in words, without stop words. Default 256. */
  avg_len?: number
  /** `none`: no stop words and no stems. Default `english`. */
  language?: 'english' | 'none'
}

/** Same characters as Rust's `char::is_alphanumeric`. */
const WORD = /[\p{Alphabetic}\p{N}]+/gu
const utf8 = new TextEncoder()

/**
 * Encodes a document as Qdrant's `qdrant/bm25` does: `n (k + 1) / (k (1 - b + b len / avg_len) + n)` per distinct word, with its
 * count n and the number of words len. Indices ascend. Qdrant adds the inverse document frequency (`modifier: idf`).
 */
export function encodeBm25Document(text: string, options: Bm25Options = {}): SparseVector {
  return documentVector(bm25Words(text, options), options)
}

/** Encodes a query as Qdrant's `qdrant/bm25` does: 1 per distinct word. Indices ascend. */
export function encodeBm25Query(text: string, options: Bm25Options = {}): SparseVector {
  return queryVector(bm25Words(text, options))
}

/** The vector of a document with these words, which can repeat. */
export function documentVector(words: readonly string[], options: Bm25Options = {}): SparseVector {
  const { k = 1.2, b = 0.75, avg_len: averageLength = 256 } = options
  const saturation = k * (1 - b + (b * words.length) / averageLength)
  const weights = new Map<number, number>()
  for (const [word, count] of countOf(words))
    weights.set(dimensionOf(word), Math.fround((count * (k + 1)) / (saturation + count)))
  const indices = [...weights.keys()].sort((x, y) => x - y)
  return { indices, values: indices.map(index => weights.get(index) ?? 0) }
}

/** The vector of a query with these words. */
export function queryVector(words: readonly string[]): SparseVector {
  const indices = [...new Set(words.map(dimensionOf))].sort((x, y) => x - y)
  return { indices, values: indices.map(() => 1) }
}

/** The words of a text in lower case, as Qdrant cuts it. */
export function wordsAsQdrant(text: string): string[] {
  return text.match(WORD)?.map(word => word.toLowerCase()) ?? []
}

/** The stems of words in lower case that are no stop words. */
export function englishWords(words: readonly string[]): string[] {
  return words.filter(word => !ENGLISH_STOP_WORDS.has(word)).map(englishStem)
}

function bm25Words(text: string, { language = 'english' }: Bm25Options): string[] {
  const words = wordsAsQdrant(text)
  return language === 'none' ? words : englishWords(words)
}

/** Index of a word: the absolute value of its hash as a signed integer. */
function dimensionOf(word: string): number {
  return Math.abs(murmur3(utf8.encode(word)) | 0)
}

/** MurmurHash3, 32 bits, x86, seed 0 (A. Appleby, public domain). */
function murmur3(bytes: Uint8Array): number {
  const scramble = (block: number): number => {
    const mixed = Math.imul(block, 0xcc9e2d51)
    return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
  }
  const byteAt = (index: number): number => bytes[index] ?? 0
  const tail = bytes.length & ~3
  let hash = 0
  for (let i = 0; i < tail; i += 4) {
    hash ^= scramble(byteAt(i) | (byteAt(i + 1) << 8) | (byteAt(i + 2) << 16) | (byteAt(i + 3) << 24))
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64
  }
  if (tail < bytes.length) hash ^= scramble(byteAt(tail) | (byteAt(tail + 1) << 8) | (byteAt(tail + 2) << 16))
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
