import { remembered } from '../bounded-cache.ts'
import { FUNCTION_WORDS, functionWordsIn } from './function-words.ts'

/** A language in Latin letters that is not English, and that has no list of words or cannot be told from its neighbours. */
export const OTHER_LATIN = 'latin'
const OTHER_SCRIPT = 'other'

const LATIN_LETTERS = /\p{Script=Latin}/gu
/** Languages of the Latin script are told apart by their words, the others by their script. */
const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['cyrillic', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['arabic', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['devanagari', /\p{Script=Devanagari}/gu],
  [OTHER_LATIN, LATIN_LETTERS],
]
const LETTERS = /\p{L}/gu
/** A letter of another script than the Latin one. */
export const OTHER_LETTER = /(?!\p{Script=Latin})\p{L}/u
/** A Latin letter with an accent. English has few words with one. */
const ACCENTED = /[À-ÖØ-öø-ɏḀ-ỿ]/u
/** A word has no digit or underscore beside it: the letters of a hash are no words. */
const WORDS = /(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}]+(?![\p{N}_])/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/
const ASCII_WORDS = /\b[a-z]+\b/g

/** All that `languageOf` returns. */
export const LANGUAGES: readonly string[] = [
  ...Object.keys(FUNCTION_WORDS),
  ...SCRIPTS.map(([name]) => name),
  OTHER_SCRIPT,
]

/** Longest part of a text that is read, in UTF-16 code units. */
const LONGEST_READ = 8_000
const FEWEST_WORDS = 8
/** Different function words, or words with an accent, that a language needs: "default time until a job step counts as unkillable" has two of Portuguese. */
const LEAST_DIFFERENT = 3
/** Share of the words of a text that must be function words of the language. */
const LEAST_SHARE = 0.15
/** How many times as many function words as the next language has. */
const LEAST_LEAD = 1.25
/** Shares of the words of a text that is not English, although no list has enough of its words. Of 27,000 pieces of English texts and documentation of packages, 40 are taken for one. */
const LEAST_ACCENTED = 0.04
const MOST_ENGLISH = 0.06
/** Japanese mixes kana with Chinese characters, and every language quotes names in Latin letters. */
const LEAST_SCRIPT_SHARE: Readonly<Record<string, number>> = { ja: 0.1, latin: 0.8 }

/**
 * The language of a text: `en`, `de`, … for those with a list of words, `ja`, `ko`, … or the name of a script for other scripts, `latin` and `other`
 * for what is neither of these and not English. Null when it cannot be told: short texts, code.
 */
export function languageOf(text: string): string | null {
  const start = text.slice(0, LONGEST_READ)
  // Most English texts are, and the words of such a text are found more quickly.
  if (ASCII.test(start)) return latinLanguageOf(start.toLowerCase().match(ASCII_WORDS) ?? [])
  const read = start.normalize('NFC').toLowerCase()
  const script = OTHER_LETTER.test(read) ? scriptOf(read) : OTHER_LATIN
  return script === OTHER_LATIN ? latinLanguageOf(read.match(WORDS) ?? []) : script
}

/** `languageOf`, remembered for the last texts. */
export const knownLanguageOf = remembered(languageOf, { entries: 8_000 })

function scriptOf(read: string): string | null {
  const letters = read.match(LETTERS)?.length ?? 0
  const shareOf = (pattern: RegExp) => (read.match(pattern)?.length ?? 0) / letters
  const [script] = SCRIPTS.find(([name, pattern]) => shareOf(pattern) >= (LEAST_SCRIPT_SHARE[name] ?? 0.4)) ?? []
  return script ?? (shareOf(LATIN_LETTERS) < 0.4 ? OTHER_SCRIPT : null)
}

function latinLanguageOf(words: readonly string[]): string | null {
  if (words.length < FEWEST_WORDS) return null
  const counts = functionWordsIn(words)
  const english = counts.get('en') ?? 0
  const [first, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (first !== undefined && hasEnough(first, words)) {
    if (leads(first[1], second?.[1] ?? 0)) return first[0]
    if (leads(first[1], english)) return OTHER_LATIN
  }
  if (english >= MOST_ENGLISH * words.length) return null
  const accented = words.filter(word => ACCENTED.test(word))
  const isAccented = accented.length >= LEAST_ACCENTED * words.length && new Set(accented).size >= LEAST_DIFFERENT
  return isAccented ? OTHER_LATIN : null
}

function hasEnough([language, count]: [string, number], words: readonly string[]): boolean {
  const different = functionWordsIn(new Set(words)).get(language) ?? 0
  return count >= LEAST_SHARE * words.length && different >= LEAST_DIFFERENT
}

const leads = (count: number, next: number) => count >= LEAST_LEAD * next
