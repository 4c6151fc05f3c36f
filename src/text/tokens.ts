import { createRequire } from 'node:module'
import type { TiktokenBPE, TiktokenEncoding, TiktokenModel } from 'js-tiktoken/lite'
import type { Tokenizer } from '../core/ports.ts'
import { BoundedCache, detached } from './bounded-cache.ts'
import { countBytePairs, readRanks } from './byte-pairs.ts'
import { contentHash } from './fingerprint.ts'

const DEFAULT_ENCODING: TiktokenEncoding = 'o200k_base'
/** Longer pre-tokens are too seldom met again to be remembered. */
const LONGEST_CACHED_PIECE = 128
const SHORT_TEXT = 200
const CACHED_TEXTS = 8_192
const CACHED_PIECES = 50_000

type Lite = typeof import('js-tiktoken/lite')
const require = createRequire(import.meta.url)
const counters = new Map<TiktokenEncoding, (text: string) => number>()

/**
 * The tokenizer of a model, by its name in any case. An unknown name is counted with o200k_base, and `mapped` says so.
 * The encoding is loaded at the first count and kept for the process (about 0.1 s and 30 MB).
 */
export function createTokenizer(model: string): Tokenizer {
  const known = encodingOf(model)
  const encoding = known ?? DEFAULT_ENCODING
  return { model, encoding, mapped: known === null, count: text => counterOf(encoding)(text) }
}

/** Whether the model's own encoding is known; otherwise its tokens are counted with another model's. */
export function isKnownModel(model: string): boolean {
  return encodingOf(model) !== null
}

/** The longest prefix of the text, cut between code points, that counts at most `max` tokens with this tokenizer. */
export function clipToTokens(tokenizer: Tokenizer, text: string, max: number): string {
  if (max < 1) return ''
  // Counts do not grow evenly: a prefix that ends inside a word may have more tokens than the whole.
  if (tokenizer.count(text) <= max) return text
  let fits = 0
  let over = Math.min(text.length, max * 6)
  while (tokenizer.count(prefix(text, over)) <= max) {
    if (over >= text.length) return text
    fits = over
    over = Math.min(text.length, over * 2)
  }
  while (over - fits > 1) {
    const middle = (fits + over) >> 1
    if (tokenizer.count(prefix(text, middle)) <= max) fits = middle
    else over = middle
  }
  return prefix(text, fits)
}

/** The first `length` UTF-16 units, one less where that would cut a surrogate pair. */
function prefix(text: string, length: number): string {
  const cut = length > 0 && length < text.length && isPair(text, length - 1) ? length - 1 : length
  return text.slice(0, cut)
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff

function encodingOf(model: string): TiktokenEncoding | null {
  try {
    return (require('js-tiktoken/lite') as Lite).getEncodingNameForModel(model.toLowerCase() as TiktokenModel)
  } catch {
    return null
  }
}

function counterOf(encoding: TiktokenEncoding): (text: string) => number {
  let counter = counters.get(encoding)
  if (counter === undefined) {
    counter = createCounter(encoding)
    counters.set(encoding, counter)
  }
  return counter
}

function createCounter(encoding: TiktokenEncoding): (text: string) => number {
  const file = require(`js-tiktoken/ranks/${encoding}`) as TiktokenBPE | { default: TiktokenBPE }
  const { bpe_ranks: packed, pat_str: pattern } = 'default' in file ? file.default : file
  const ranks = readRanks(packed)
  const preTokens = new RegExp(pattern, 'gu')
  const texts = new BoundedCache<string, number>(CACHED_TEXTS)
  const pieces = new BoundedCache<string, number>(CACHED_PIECES)

  function countPiece(piece: string): number {
    let count = pieces.get(piece)
    if (count === undefined) {
      count = countBytePairs(piece, ranks)
      if (piece.length <= LONGEST_CACHED_PIECE) pieces.set(detached(piece), count)
    }
    return count
  }

  return text => {
    if (text === '') return 0
    const key = text.length <= SHORT_TEXT ? text : contentHash(text)
    const known = texts.get(key)
    if (known !== undefined) return known
    let count = 0
    for (const [piece] of text.matchAll(preTokens)) count += countPiece(piece)
    texts.set(key === text ? detached(key) : key, count)
    return count
  }
}
