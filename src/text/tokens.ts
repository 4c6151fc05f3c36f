import { createRequire } from 'node:module'
import { getEncodingNameForModel, type TiktokenBPE, type TiktokenEncoding, type TiktokenModel } from 'js-tiktoken/lite'
import type { CountTokens, Tokenizer } from '../core/ports.ts'
import { finish } from '../core/steps.ts'
import { remembered, rememberedSteps } from './bounded-cache.ts'
import { countBytePairs, readRanks } from './byte-pairs.ts'

const DEFAULT_ENCODING: TiktokenEncoding = 'o200k_base'
const CACHED_TEXTS = 8_192
const CACHED_PIECES = 50_000
const PIECES_PER_STEP = 1_000
/** Pieces of text up to this length, in UTF-16 code units, are counted in one step and remembered. Words are far shorter. */
const SHORT_PIECE = 1_000

const require = createRequire(import.meta.url)
const counters: Partial<Record<TiktokenEncoding, CountTokens>> = {}

/**
 * Creates the tokenizer of a model. The case of the name has no effect; an unknown model uses `o200k_base`.
 * The encoding is loaded at the first count and stays in memory (about 0.1 s and 30 MB).
 */
export function createTokenizer(model: string): Tokenizer {
  const known = encodingOf(model)
  const encoding = known ?? DEFAULT_ENCODING
  const countInSteps: CountTokens = text => counterOf(encoding)(text)
  return { model, encoding, mapped: known === null, count: text => finish(countInSteps(text)), countInSteps }
}

/** The encoding of a model, whatever the case of its name; null for an unknown model. */
export function encodingOf(model: string): TiktokenEncoding | null {
  try {
    return getEncodingNameForModel(model.toLowerCase() as TiktokenModel)
  } catch {
    return null
  }
}

function counterOf(encoding: TiktokenEncoding): CountTokens {
  counters[encoding] ??= createCounter(encoding)
  return counters[encoding]
}

/** Reads the tokens of an encoding with their ranks, and the pattern that cuts a text into pieces. */
export function loadRanks(encoding: TiktokenEncoding): { ranks: ReturnType<typeof readRanks>; pattern: string } {
  const file = require(`js-tiktoken/ranks/${encoding}`) as TiktokenBPE | { default: TiktokenBPE }
  const { bpe_ranks: packed, pat_str: pattern } = 'default' in file ? file.default : file
  return { ranks: readRanks(packed), pattern }
}

function createCounter(encoding: TiktokenEncoding): CountTokens {
  const { ranks, pattern } = loadRanks(encoding)
  const preTokens = new RegExp(pattern, 'gu')
  const countShort = remembered(piece => finish(countBytePairs(piece, ranks)), { entries: CACHED_PIECES })
  return rememberedSteps(
    function* countPieces(text) {
      let count = 0
      let pieces = 0
      for (const [piece] of text.matchAll(preTokens)) {
        count += piece.length <= SHORT_PIECE ? countShort(piece) : yield* countBytePairs(piece, ranks)
        if (++pieces % PIECES_PER_STEP === 0) yield
      }
      return count
    },
    { entries: CACHED_TEXTS },
  )
}
