/** A word with a capital behind a small letter or a digit: "retryDelay", "getURLFor". */
const CAMEL_CASE = /(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*[\p{Ll}\p{N}]\p{Lu}[\p{L}\p{N}]*/gu
/** Before a capital that begins a word: "retry|Delay", "URL|For". */
const BORDER = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu
/** Longest word that is looked at, in UTF-16 code units: encoded data is no name. */
const LONGEST = 64

/** The text with the words of names apart: "retry Delay". */
export function withNamesApart(text: string): string {
  return text.replace(CAMEL_CASE, apart)
}

/** The words of all names in camel case, apart: "retry Delay get URL For". */
export function wordsOfNames(text: string): string {
  return Array.from(text.matchAll(CAMEL_CASE), ([name]) => apart(name)).join(' ')
}

function apart(name: string): string {
  return name.length > LONGEST ? name : name.replace(BORDER, ' ')
}
