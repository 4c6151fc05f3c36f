/**
 * The English stemmer of Snowball ("Porter2"), as full-text engines such as Qdrant's BM25 apply it.
 * Source of the rules: M. F. Porter, "The English (Porter2) stemming algorithm", snowballstem.org.
 */

import { detached, remembered } from './bounded-cache.ts'

const VOWEL = /[aeiouy]/
const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu
/** Stands for one astral code point: the rules count letters, not UTF-16 units. */
const PLACEHOLDER = '\uE000'

const EXCEPTIONS = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
)
const INVARIANT = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'])
const INVARIANT_AFTER_PLURAL = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
])

/** Suffix to replacement; the longest suffix that fits is the only one tried. */
type Rules = readonly (readonly [suffix: string, replacement: string])[]

const byLength = (rules: Rules): Rules => [...rules].sort((a, b) => b[0].length - a[0].length)

const DERIVATIONAL = byLength([
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['entli', 'ent'],
  ['izer', 'ize'],
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['alli', 'al'],
  ['fulness', 'ful'],
  ['ousli', 'ous'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['fulli', 'ful'],
  ['lessli', 'less'],
  ['li', ''],
])
const ADJECTIVAL = byLength([
  ['tional', 'tion'],
  ['ational', 'ate'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
  ['ative', ''],
])
const RESIDUAL = byLength(
  'al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion'
    .split(' ')
    .map(suffix => [suffix, ''] as const),
)

/** The stem of one lowercased word without apostrophes. Words of another script come back as they are. */
export const englishStem = remembered(word => detached(stemCodePoints(word)), {
  entries: 20_000,
  weight: 1_000_000,
  weigh: stem => stem.length,
})

function stemCodePoints(word: string): string {
  const astral = word.match(ASTRAL)
  if (astral === null) return stemLetters(word)
  let next = 0
  return stemLetters(word.replace(ASTRAL, PLACEHOLDER)).replaceAll(PLACEHOLDER, () => astral[next++] ?? '')
}

function stemLetters(word: string): string {
  if (word.length < 3 || INVARIANT.has(word)) return word
  const exception = EXCEPTIONS.get(word)
  if (exception !== undefined) return exception

  // Capital Y marks a consonant: at the start of the word and after a vowel.
  const marked = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
  const region1 = /^(?:gener|commun|arsen)/.exec(marked)?.[0].length ?? regionAfter(marked, 0)
  const region2 = regionAfter(marked, region1)

  let stem = cutPlural(marked)
  if (INVARIANT_AFTER_PLURAL.has(stem)) return stem
  stem = cutPast(stem, region1)
  stem = stem.replace(/(?<=.[^aeiouy])[yY]$/s, 'i')
  stem = cutDerivational(stem, region1)
  stem = cutAdjectival(stem, region1, region2)
  stem = cutResidual(stem, region2)
  stem = cutFinalLetter(stem, region1, region2)
  return stem.replaceAll('Y', 'y')
}

/** Offset after the first non-vowel that follows a vowel, from `start` on. */
function regionAfter(word: string, start: number): number {
  const match = /[aeiouy][^aeiouy]/.exec(word.slice(start))
  return match === null ? word.length : start + match.index + 2
}

const endsInShortSyllable = (word: string): boolean =>
  /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/.test(word)

function cutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1)
  if (/[us]s$/.test(word) || !word.endsWith('s')) return word
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function cutPast(word: string, region1: number): string {
  const suffix = /(?:eedly|eed|ingly|edly|ing|ed)$/.exec(word)?.[0]
  if (suffix === undefined) return word
  const stem = word.slice(0, -suffix.length)
  if (suffix.startsWith('ee')) return stem.length >= region1 ? `${stem}ee` : word
  if (!VOWEL.test(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem)) return stem.slice(0, -1)
  return region1 >= stem.length && endsInShortSyllable(stem) ? `${stem}e` : stem
}

function cutDerivational(word: string, region1: number): string {
  const rule = DERIVATIONAL.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const [suffix, replacement] = rule
  const stem = word.slice(0, -suffix.length)
  if (stem.length < region1) return word
  if (suffix === 'ogi' && !stem.endsWith('l')) return word
  if (suffix === 'li' && !/[cdeghkmnrt]$/.test(stem)) return word
  return stem + replacement
}

function cutAdjectival(word: string, region1: number, region2: number): string {
  const rule = ADJECTIVAL.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const [suffix, replacement] = rule
  const stem = word.slice(0, -suffix.length)
  return stem.length < (suffix === 'ative' ? Math.max(region1, region2) : region1) ? word : stem + replacement
}

function cutResidual(word: string, region2: number): string {
  const rule = RESIDUAL.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const stem = word.slice(0, -rule[0].length)
  if (stem.length < region2) return word
  return rule[0] === 'ion' && !/[st]$/.test(stem) ? word : stem
}

function cutFinalLetter(word: string, region1: number, region2: number): string {
  const stem = word.slice(0, -1)
  if (word.endsWith('e')) {
    return stem.length >= region2 || (stem.length >= region1 && !endsInShortSyllable(stem)) ? stem : word
  }
  return word.endsWith('ll') && stem.length >= region2 ? stem : word
}
