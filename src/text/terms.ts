import { prefixOf } from '../core/prefix.ts'
import { englishStem } from './english-stem.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'

/** Longer words are cut here: no natural word is, and the work stays linear on hostile text. */
const MAX_WORD = 64
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Scripts written without spaces; U+30FC is the katakana length mark, of no script by Unicode's book. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\u30FC'
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')
const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')

/**
 * Terms for lexical matching: lowercased words, English stop words dropped, English stems; runs of Chinese, Japanese,
 * Korean or Thai give their character bigrams. In order of appearance, repeats kept.
 */
export function terms(text: string): string[] {
  const found: string[] = []
  for (const run of runs(text)) {
    if (HAS_UNSPACED.test(run)) for (const bigram of bigrams(run)) found.push(bigram)
    else if (!ENGLISH_STOP_WORDS.has(run)) found.push(englishStem(run))
  }
  return found
}

/** Every word of the text, lowercased, no stems, no stop words dropped; in unspaced scripts every character is a word. */
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

function* bigrams(run: string): Generator<string> {
  let previous = ''
  let count = 0
  for (const character of run) {
    if (count++ > 0) yield previous + character
    previous = character
  }
  if (count === 1) yield previous
}
