import type { Steps } from '../../core/steps.ts'
import { englishStem } from './english-stem.ts'
import { slipsApart } from './slips.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'

/** A word of a question that is probably misspelt, and the word of the passages that was probably meant, both in lower case. */
export interface Correction {
  word: string
  correction: string
}

/**
 * Words of letters alone, in lower case or with a first capital. Names with other capitals, parts of identifiers, paths and addresses, code, and what is
 * quoted are left alone. A quotation holds no further opening mark: to look for the end of each of many would take quadratic time.
 */
const WORD_OR_QUOTE =
  /`[^`]*`|"[^"]*"|“[^“”]*”|(?<![\p{L}\p{N}\p{M}_.:/@#$-])\p{Lu}?\p{Ll}+(?![\p{L}\p{M}\p{N}_/@-]|[.:]\p{L})/gu
/** In UTF-16 code units. In shorter words a single letter makes another word; longer ones are no words. */
const SHORTEST = 5
const LONGEST = 24
/** From this length on, two slips are possible. */
const LONG = 9
/** Most words of a question that are looked at; a question with more of them is no question. */
const MOST_WORDS = 8
/** A question of so few words does not tell its language. */
const KEYWORDS = 2
const WORDS_IN_A_STEP = 1000

/**
 * The words of a question that are no words of the language, that no passage holds in any form, and that are one slip of a typist away
 * from a word of the passages, or two in a word of nine letters or more. Of several such words the nearest one is meant, then the one
 * that most passages hold.
 *
 * @param passages what a search with the question found, with titles
 * @param isWord whether a word in lower case is spelled correctly in the language of most questions
 */
export function* spellingCorrections(
  question: string,
  passages: readonly string[],
  isWord: (word: string) => boolean,
): Steps<Correction[]> {
  const doubtful = doubtfulWords(question, isWord)
  if (doubtful.length === 0 || doubtful.length > MOST_WORDS) return []
  const counts = yield* passagesByWord(passages, new Set(doubtful.map(firstLetter)))
  const corrections: Correction[] = []
  for (const word of doubtful) {
    const correction = yield* nearest(word, counts)
    if (correction !== null) corrections.push({ word, correction })
  }
  return corrections
}

/** The question with the corrections in it. A first capital stays. */
export function correctedQuestion(question: string, corrections: readonly Correction[]): string {
  const corrected = new Map(corrections.map(({ word, correction }) => [word, correction]))
  return question.replace(WORD_OR_QUOTE, word => {
    const correction = corrected.get(word.toLowerCase())
    if (correction === undefined) return word
    return word === word.toLowerCase() ? correction : capitalised(correction)
  })
}

/** None when more words are doubtful than known: then the question is probably in another language. */
function doubtfulWords(question: string, isWord: (word: string) => boolean): string[] {
  const found = (question.match(WORD_OR_QUOTE) ?? []).filter(one => /^\p{L}/u.test(one))
  const words = [...new Set(found.map(word => word.toLowerCase()))]
  const known = new Set(words.filter(word => ENGLISH_STOP_WORDS.has(word) || isWord(word)))
  const doubtful = words.filter(word => word.length >= SHORTEST && word.length <= LONGEST && !known.has(word))
  return doubtful.length <= known.size || words.length <= KEYWORDS ? doubtful : []
}

/** How many passages hold each word with one of these first letters. */
function* passagesByWord(
  passages: readonly string[],
  firstLetters: ReadonlySet<string>,
): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  let read = 0
  for (const passage of passages) {
    const seen = new Set<string>()
    for (const [found] of passage.matchAll(/\p{L}+/gu)) {
      if (++read % WORDS_IN_A_STEP === 0) yield
      if (found.length > LONGEST + 2) continue
      const word = found.toLowerCase()
      if (firstLetters.has(firstLetter(word))) seen.add(word)
    }
    for (const word of seen) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** Null when a word with the same stem is there, or none is near. */
function* nearest(word: string, counts: ReadonlyMap<string, number>): Steps<string | null> {
  const farthest = word.length < LONG ? 1 : 2
  const stem = englishStem(word)
  let best: { word: string; distance: number; count: number } | null = null
  let read = 0
  for (const [other, count] of counts) {
    if (++read % WORDS_IN_A_STEP === 0) yield
    if (firstLetter(other) !== firstLetter(word)) continue
    if (other === word || englishStem(other) === stem) return null
    if (Math.abs(other.length - word.length) > farthest || other.length < SHORTEST) continue
    const apart = slipsApart(other, word)
    if (apart > farthest) continue
    if (best === null || apart < best.distance || (apart === best.distance && count > best.count))
      best = { word: other, distance: apart, count }
  }
  return best?.word ?? null
}

const firstLetter = (word: string): string => word.charAt(0)
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
