import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { groupBy } from '../../core/collections.ts'
import { englishStem } from '../../text/terms/english-stem.ts'

const TokenizerSchema = z.object({ model: z.object({ vocab: z.looseObject({}) }) })
/** Shorter pieces of words are in the vocabulary, too. */
const WHOLE_WORD = /^\p{L}{4,}$/u
/** Prefixes that make a word of most words. */
const PREFIX = /^(?:in|inter|mis|multi|non|out|over|pre|re|sub|un|under)(?=\p{L}{4})/u

/**
 * Reads the 20,000 English words that the tokenizer of a model knows as a whole.
 * @param folder of a model with the vocabulary of uncased BERT
 * @returns whether a word in lower case is one of them or another form of one, with or without a prefix
 * @throws when the folder has no such tokenizer
 */
export async function readEnglishWords(folder: string): Promise<(word: string) => boolean> {
  const { model } = TokenizerSchema.parse(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')))
  const words = groupBy(
    Object.keys(model.vocab).filter(piece => WHOLE_WORD.test(piece)),
    beginningOf,
  )
  const isKnown = (form: string): boolean => {
    const near = words.get(beginningOf(form)) ?? []
    return near.includes(form) || near.some(word => englishStem(word) === englishStem(form))
  }
  return word => isKnown(word) || (PREFIX.test(word) && isKnown(word.replace(PREFIX, '')))
}

/** Forms of a word begin alike. */
const beginningOf = (word: string): string => word.slice(0, 3)
