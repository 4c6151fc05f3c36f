import type { Steps } from '../../core/steps.ts'
import { detached, remembered } from '../bounded-cache.ts'
import { ALL_FUNCTION_WORDS, FUNCTION_WORDS } from '../language/function-words.ts'
import { knownLanguageOf, OTHER_LATIN, OTHER_LETTER } from '../language/language-of.ts'
import { englishStem } from './english-stem.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'

/** How the words of a text in Latin letters become terms: English words by their stems, those of other languages by their first letters. */
export type Analysis = 'english' | 'prefix'

/** Letters of a prefix. Six were as good as the Snowball stemmers of German, French and Russian (decision 106). */
const PREFIX_LETTERS = 6
/** Stands behind a prefix, so that none is equal to an English stem. */
const MARK = '*'
/** Languages of the Latin script other than English. */
const PREFIX_LANGUAGES: ReadonlySet<string | null> = new Set([
  ...Object.keys(FUNCTION_WORDS).filter(language => language !== 'en'),
  OTHER_LATIN,
])

/** Scripts without spaces between words, and U+30FC, the katakana length mark, which has no script in Unicode. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Khmer}\\p{Script=Lao}\\p{Script=Myanmar}\\u30FC'
export const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')
const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')
const HAS_NUMBER = /\p{N}/u
/** Accents of Latin, Greek and Cyrillic letters. Questions often leave them out. */
const ACCENTS = /[\u0300-\u036f]/gu

/** The analysis of a text: `prefix` for languages of the Latin script other than English. English, and what cannot be told, such as code or a few words, is `english`. */
export function analysisOf(text: string): Analysis {
  return PREFIX_LANGUAGES.has(knownLanguageOf(text)) ? 'prefix' : 'english'
}

/** The analysis of most of the texts whose language can be told. */
export function* analysisOfMost(texts: readonly string[]): Steps<Analysis> {
  let [known, inPrefixes] = [0, 0]
  for (const text of texts) {
    const language = knownLanguageOf(text)
    if (language !== null) known++
    if (PREFIX_LANGUAGES.has(language)) inPrefixes++
    yield
  }
  return 2 * inPrefixes > known ? 'prefix' : 'english'
}

/**
 * The terms of a word in lower case: its bigrams where it is of a script without spaces; its English stem; else its first six letters without accents,
 * which needs no list of a language and is about as good as its stemmer (McNamee and Mayfield 2004, "Character n-gram tokenization for European language text
 * retrieval"). Words with a number stay whole. Stop words have none.
 */
export function termsOfWord(word: string, analysis: Analysis): string[] {
  if (OTHER_LETTER.test(word))
    return HAS_UNSPACED.test(word) ? runsOf(word).flatMap(run => termsOfRun(run, analysis)) : [prefixForm(word)]
  return latinTerms(word, analysis)
}

/** The parts of a word that are of scripts without spaces, and those between them. */
export function runsOf(word: string): string[] {
  return word.match(RUN) ?? []
}

function termsOfRun(run: string, analysis: Analysis): string[] {
  return HAS_UNSPACED.test(run) ? bigrams(run) : termsOfWord(run, analysis)
}

function latinTerms(word: string, analysis: Analysis): string[] {
  // A stop word of English has no term in either analysis, so that a question of such words alone has none.
  if (ENGLISH_STOP_WORDS.has(word)) return []
  if (analysis === 'english' || HAS_NUMBER.test(word)) return [englishStem(word)]
  return ALL_FUNCTION_WORDS.has(word) ? [] : [prefixForm(word)]
}

const prefixForm = remembered(
  word => {
    if (HAS_NUMBER.test(word)) return detached(word)
    const letters = [...word.normalize('NFD').replace(ACCENTS, '')]
    return detached(`${letters.slice(0, PREFIX_LETTERS).join('')}${MARK}`)
  },
  { entries: 20_000, weight: 1_000_000, weigh: text => text.length },
)

function bigrams(run: string): string[] {
  const characters = [...run]
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
  return pairs.length > 0 ? pairs : characters
}
