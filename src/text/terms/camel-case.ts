/** A word with a capital behind a small letter, or one that begins a word behind a digit: "retryDelay", "utf8Decode". */
const CAMEL_CASE = /(?<![\p{L}\p{M}\p{N}])\p{L}[\p{L}\p{M}\p{N}]*(?:\p{Ll}\p{Lu}|\p{N}\p{Lu}\p{Ll})[\p{L}\p{M}\p{N}]*/gu
/** Before a capital that begins a word: "retry|Delay", "URL|For". */
const BORDER = /(?<=\p{Ll})(?=\p{Lu})|(?<=[\p{Lu}\p{N}])(?=\p{Lu}\p{Ll})/gu
/** Longest word that is looked at, in UTF-16 code units: encoded data is no name. */
const LONGEST = 64

/** The text with the words of names apart: "retry Delay". */
export function withNamesApart(text: string): string {
  return text.replace(CAMEL_CASE, name => (name.length > LONGEST ? name : apart(name)))
}

/** The words of all names in camel case, apart: "retry Delay get URL For". */
export function wordsOfNames(text: string): string {
  const names = Array.from(text.matchAll(CAMEL_CASE), ([name]) => name)
  return names
    .filter(({ length }) => length <= LONGEST)
    .map(apart)
    .join(' ')
}

const apart = (name: string): string => name.replace(BORDER, ' ')
