import { prefixOf } from '../../core/prefix.ts'
import { englishStem } from './english-stem.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'

/** Longest word in UTF-16 code units. Longer words are cut, so that the time stays linear on hostile text. */
const MAX_WORD = 64
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Scripts without spaces between words, and U+30FC, the katakana length mark, which has no script in Unicode. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\u30FC'
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')
const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')

/**
 * Terms for lexical matching, in order and with repeats: English stems of lowercased words without stop words, and character
 * bigrams of Chinese, Japanese, Korean and Thai.
 */
export function terms(text: string): string[] {
  const found: string[] = []
  for (const run of runs(text)) {
    if (HAS_UNSPACED.test(run)) for (const bigram of bigrams(run)) found.push(bigram)
    else if (!ENGLISH_STOP_WORDS.has(run)) found.push(englishStem(run))
  }
  return found
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
    else for (const [run] of word.matchAll(RUN)) yield HAS_UNSPACED.test(run) ? run : clip(run)
  }
}

function clip(word: string): string {
  return word.length <= MAX_WORD ? word : prefixOf(word, MAX_WORD)
}

function bigrams(run: string): string[] {
  const characters = [...run]
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
  return pairs.length > 0 ? pairs : characters
}
