import { createRequire } from 'node:module'
import { getEncodingNameForModel, type TiktokenBPE, type TiktokenEncoding, type TiktokenModel } from 'js-tiktoken/lite'
import type { Tokenizer } from '../core/ports.ts'
import { remembered } from './bounded-cache.ts'
import { countBytePairs, readRanks } from './byte-pairs.ts'

const DEFAULT_ENCODING: TiktokenEncoding = 'o200k_base'
const CACHED_TEXTS = 8_192
const CACHED_PIECES = 50_000

const require = createRequire(import.meta.url)
const counters: Partial<Record<TiktokenEncoding, (text: string) => number>> = {}

/**
 * Creates the tokenizer of a model. The case of the name has no effect; an unknown model uses `o200k_base`.
 * The encoding is loaded at the first count and stays in memory (about 0.1 s and 30 MB).
 */
export function createTokenizer(model: string): Tokenizer {
  const known = encodingOf(model)
  const encoding = known ?? DEFAULT_ENCODING
  return { model, encoding, mapped: known === null, count: text => counterOf(encoding)(text) }
}

function encodingOf(model: string): TiktokenEncoding | null {
  try {
    return getEncodingNameForModel(model.toLowerCase() as TiktokenModel)
  } catch {
    return null
  }
}

function counterOf(encoding: TiktokenEncoding): (text: string) => number {
  counters[encoding] ??= createCounter(encoding)
  return counters[encoding]
}

function createCounter(encoding: TiktokenEncoding): (text: string) => number {
  const file = require(`js-tiktoken/ranks/${encoding}`) as TiktokenBPE | { default: TiktokenBPE }
  const { bpe_ranks: packed, pat_str: pattern } = 'default' in file ? file.default : file
  const ranks = readRanks(packed)
  const preTokens = new RegExp(pattern, 'gu')
  const countPiece = remembered(piece => countBytePairs(piece, ranks), { entries: CACHED_PIECES })
  return remembered(
    text => {
      let count = 0
      for (const [piece] of text.matchAll(preTokens)) count += countPiece(piece)
      return count
    },
    { entries: CACHED_TEXTS },
  )
}
