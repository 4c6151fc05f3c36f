import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { englishStem } from '../../text/terms/english-stem.ts'

const TokenizerSchema = z.object({ model: z.object({ vocab: z.record(z.string(), z.number()) }) })
/** Shorter pieces of words are in the vocabulary, too. */
const WHOLE_WORD = /^\p{L}{4,}$/u
/** Prefixes that make a word of most words. */
const PREFIX = /^(?:in|inter|mis|multi|non|out|over|pre|re|sub|un|under)(?=\p{L}{4})/u

/**
 * Whether a word in lower case is one of the 20,000 English words that the tokenizer of a model knows as a whole, or has the stem of
 * one, with or without a prefix. The file is read at the first word.
 * @param folder of a model with the vocabulary of uncased BERT
 * @throws when the folder has no such tokenizer
 */
export function englishWords(folder: string): (word: string) => boolean {
  let known: ReadonlySet<string> | null = null
  return word => {
    if (known === null) known = readWords(folder)
    const words = known
    return [word, word.replace(PREFIX, '')].some(form => words.has(form) || words.has(englishStem(form)))
  }
}

function readWords(folder: string): ReadonlySet<string> {
  const { model } = TokenizerSchema.parse(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')))
  const words = Object.keys(model.vocab).filter(piece => WHOLE_WORD.test(piece))
  return new Set([...words, ...words.map(englishStem)])
}
