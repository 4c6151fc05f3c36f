import { ENGLISH_STOP_WORDS } from './stop-words.ts'

const LATIN_LETTERS = /^[\p{Script=Latin}\p{M}]{2,}$/u

/**
 * Each two neighbours of a question as one word: "rollback" of "roll back", "login" of "log in". English writes many compounds in both ways, and the documents often in the other one.
 * The first of the two is no stop word, so that "how to" is no pair. Most pairs are no word, and then no text has them.
 *
 * @param words in lower case and in the order of the question
 */
export function joinedNeighbours(words: readonly string[]): string[] {
  return words.slice(1).flatMap((word, at) => {
    const before = words[at] ?? ''
    const isPair = !ENGLISH_STOP_WORDS.has(before) && LATIN_LETTERS.test(before) && LATIN_LETTERS.test(word)
    return isPair ? [before + word] : []
  })
}
