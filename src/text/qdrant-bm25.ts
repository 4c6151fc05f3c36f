import { countOf } from '../core/collections.ts'
import type { SparseVector } from '../core/types.ts'
import { englishStem } from './english-stem.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'

/** Options under the names they have in Qdrant's inference objects (`{text, model, options}`). */
export interface Bm25Options {
  /** Saturation of term frequency, 0 or above. */
  k?: number
  /** Share of length normalisation, in [0,1]. */
  b?: number
  /** Expected document length in tokens, after stop words are dropped. */
  avg_len?: number
  /** `none` keeps every word as it is: no stop words, no stems. */
  language?: 'english' | 'none'
}

/** Words as Rust's `char::is_alphanumeric` sees them. */
const WORD = /[\p{Alphabetic}\p{N}]+/gu
const utf8 = new TextEncoder()

/**
 * A document as Qdrant's own `qdrant/bm25` encodes it: per distinct word `n (k + 1) / (k (1 - b + b len / avg_len) + n)`,
 * where n is its count and len the number of words left. Indices ascend. Inverse document frequency is the store's part
 * (`modifier: idf`).
 */
export function encodeBm25Document(text: string, options: Bm25Options = {}): SparseVector {
  const { k = 1.2, b = 0.75, avg_len: averageLength = 256 } = options
  const words = bm25Words(text, options)
  const saturation = k * (1 - b + (b * words.length) / averageLength)
  const weights = new Map<number, number>()
  for (const [word, count] of countOf(words))
    weights.set(dimensionOf(word), Math.fround((count * (k + 1)) / (saturation + count)))
  const indices = [...weights.keys()].sort((x, y) => x - y)
  return { indices, values: indices.map(index => weights.get(index) ?? 0) }
}

/** A query as Qdrant's own `qdrant/bm25` encodes it: 1 for each distinct word. Indices ascend. */
export function encodeBm25Query(text: string, options: Bm25Options = {}): SparseVector {
  const indices = [...new Set(bm25Words(text, options).map(dimensionOf))].sort((x, y) => x - y)
  return { indices, values: indices.map(() => 1) }
}

function bm25Words(text: string, { language = 'english' }: Bm25Options): string[] {
  const words = text.match(WORD)?.map(word => word.toLowerCase()) ?? []
  return language === 'none' ? words : words.filter(word => !ENGLISH_STOP_WORDS.has(word)).map(englishStem)
}

/** The dimension of a word: the absolute value of its hash taken as a signed integer. */
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
