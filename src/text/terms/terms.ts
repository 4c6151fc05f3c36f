import { prefixOf } from '../../core/prefix.ts'
import { wordsOfNames } from './camel-case.ts'
import { type Analysis, HAS_UNSPACED, runsOf, termsOfWord } from './word-terms.ts'

/** Longest word in UTF-16 code units. Longer words are cut, so that the time stays linear on hostile text. */
const MAX_WORD = 64
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Terms for lexical matching, in order and with repeats: stems or first letters of lowercased words without stop words, and character
 * bigrams of Chinese, Japanese, Korean and Thai.
 * @param analysis that of the text, or that of the text which it is compared with
 */
export function terms(text: string, analysis: Analysis = 'english'): string[] {
  const found: string[] = []
  for (const run of runs(text)) for (const term of termsOfWord(run, analysis)) found.push(term)
  return found
}

/** The terms of a text, and those of the words in its names ("retryDelay"). */
export function termsWithNames(text: string, analysis: Analysis): string[] {
  return [...terms(text, analysis), ...terms(wordsOfNames(text), analysis)]
}

/** All words of the text in lower case. In scripts without spaces each character is a word. */
export function rawWords(text: string): string[] {
  const words: string[] = []
  for (const run of runs(text)) {
    if (!HAS_UNSPACED.test(run)) words.push(run)
    else for (const character of run) words.push(character)
  }
  return words
}

function* runs(text: string): Generator<string> {
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (!HAS_UNSPACED.test(word)) yield clip(word)
    else for (const run of runsOf(word)) yield HAS_UNSPACED.test(run) ? run : clip(run)
  }
}

function clip(word: string): string {
  return word.length <= MAX_WORD ? word : prefixOf(word, MAX_WORD)
}
