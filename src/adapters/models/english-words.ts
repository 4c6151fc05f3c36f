import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import wordListPath from 'word-list'
import { z } from 'zod'

const TokenizerSchema = z.object({ model: z.object({ vocab: z.looseObject({}) }) })
/** Shorter pieces of words are in the vocabulary, too. */
const WHOLE_WORD = /^\p{L}{4,}$/u

/**
 * Reads 274,000 English words in all their forms, and the words that the tokenizer of a model knows as a whole: names, and words of our day.
 * @param folder of a model with the vocabulary of uncased BERT
 * @returns whether a word in lower case is one of them
 * @throws when the folder has no such tokenizer
 */
export async function readEnglishWords(folder: string): Promise<(word: string) => boolean> {
  const [list, tokenizer] = await Promise.all([
    readFile(wordListPath, 'utf8'),
    readFile(join(folder, 'tokenizer.json'), 'utf8'),
  ])
  // Some lines of the list are out of order.
  const dictionary = list.split('\n').sort().join('\n')
  const { model } = TokenizerSchema.parse(JSON.parse(tokenizer))
  const known = new Set(Object.keys(model.vocab).filter(piece => WHOLE_WORD.test(piece)))
  return word => known.has(word) || hasLine(dictionary, word)
}

/** Whether a text of sorted lines has this one. A set of the 274,000 words takes 18 MB, and the text 3. */
function hasLine(text: string, wanted: string): boolean {
  let [from, to] = [0, text.length]
  while (from < to) {
    const start = text.lastIndexOf('\n', Math.floor((from + to) / 2) - 1) + 1
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    const line = text.slice(start, end)
    if (line === wanted) return true
    if (line < wanted) from = end + 1
    else to = start
  }
  return false
}
