/** Longest sentence that is brought into one writing, in UTF-16 code units. Longer ones are rows, list items or code that only equal text repeats. */
const LONGEST_FORM = 4_096

const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF]/gu
const DASHES = /[‐‑‒–—−]/gu
const SINGLE_QUOTES = /[‘’‚‛]/gu
const DOUBLE_QUOTES = /[“”„‟«»]/gu
/** The mark of a list item without a number. A number stays, because it tells the steps of a procedure apart. */
const BULLET = /^\s*[-*+•]\s+/u
const EMPHASIS = /(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1/gu
/** Emphasis of several sentences begins in one and ends in another one. */
const HALF_EMPHASIS = /^\s*\*{2,3}(?=[^\s*])|(?<=[^\s*])\*{2,3}\s*$/gu
const OPENING = /^["']+(?=\p{L})/u
/** After a digit, a quotation mark can be a unit, and an exclamation mark a factorial. */
const CLOSING = /(?:(?<=[\p{L}\p{M})\]%])["'!！.,;:…。．，、；：]+|(?<=\p{N})[.,;:…。．，、；：]+)$/u
const CAPITALISED = /^\p{Lu}[\p{Ll}\p{M}]*$/u

/**
 * A sentence in one writing: two sentences with the same form have the same words in the same order. Only these may differ: white
 * space, line breaks, bullets, emphasis, marks at the end of a word, the shape of quotation marks and dashes, and the case of the
 * first word. Every other difference is kept, because in any language it can change the meaning: numbers, signs, units (mW, MW),
 * identifiers, names, and words of negation, which no list holds for all languages.
 */
export function sentenceForm(sentence: string): string {
  if (sentence.length > LONGEST_FORM) return sentence.trim()
  const plain = sentence
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(DASHES, '-')
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(BULLET, '')
    .replace(EMPHASIS, '$2')
    .replace(HALF_EMPHASIS, '')
  const [first = '', ...rest] = plain.trim().split(/\s+/u).map(withoutMarks)
  return [CAPITALISED.test(first) ? first.toLowerCase() : first, ...rest].join(' ')
}

function withoutMarks(word: string): string {
  return word.replace(OPENING, '').replace(CLOSING, '')
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u30FC]/gu

/** Number of words of a form. Two characters of a script without spaces count as one word. */
export function lengthInWords(form: string): number {
  let words = 0
  for (const [word] of form.matchAll(WORD)) {
    const unspaced = word.match(UNSPACED)?.length ?? 0
    words += unspaced === 0 ? 1 : unspaced / 2
  }
  return words
}
