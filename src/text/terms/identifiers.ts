import { prefixOf } from '../../core/prefix.ts'

/** Longest identifier in UTF-16 code units; the rest of a longer one, such as an address, is left out. */
const LONGEST = 64
const WORD = String.raw`[\p{L}\p{N}\p{M}]`
const JOINED = new RegExp(`(?<!${WORD})${WORD}+(?:[-_.:/]+${WORD}+)+`, 'gu')
/** Markdown may escape them. */
const ESCAPE = /\\(?=[-_.])/g
const HAS_OTHER_SIGN = /[_.:/]/
const HAS_CAPITAL = /\p{Lu}/u
const HAS_DIGIT = /\p{N}/u

/** Words that signs join, in lower case and with repeats: "thread_pool_max", "beresp.status", "access-list", "ish-4417". Their parts are terms of their own. */
export function joinedWords(text: string): string[] {
  return wordsIn(text).map(termOf)
}

/**
 * The joined words of a question that name one thing. Words with hyphens alone are names of things in lower case or with a digit; "Non-Disclosure" or "Anglo-Saxon"
 * are spelled in several ways.
 */
export function identifiers(query: string): string[] {
  return wordsIn(query).filter(isIdentifier).map(termOf)
}

function isIdentifier(word: string): boolean {
  return HAS_OTHER_SIGN.test(word) || HAS_DIGIT.test(word) || !HAS_CAPITAL.test(word)
}

function wordsIn(text: string): string[] {
  return Array.from(text.normalize('NFKC').replace(ESCAPE, '').matchAll(JOINED), ([word]) => word)
}

const termOf = (word: string) => prefixOf(word.toLowerCase(), LONGEST)
