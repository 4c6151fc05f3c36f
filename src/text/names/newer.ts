import { LONGEST_READ_QUESTION, prefixOf } from '../../core/prefix.ts'
import { type DocumentNames, titleKey } from './document-name.ts'

/** A version or a year, as `namesInPath` writes it. */
const TIME = /(?<=^| )(?:version (\d[\dx.]*), v\1|((?:19|20)\d\d))(?= |$)/gu
const YEAR = /^(?:19|20)\d\d$/u
/** A number in a question that may be a version or a year: "4", "v4.2", "2021". */
const NUMBER = /(?<![\p{L}\p{N}.])v?(\d{1,4}(?:\.\d{1,6})*)(?![\p{L}\p{N}])/giu
/** Before a version: "Fastify ", "version ". */
const BEFORE_VERSION = /(?:^|\P{L})(?:\p{Lu}[\p{L}\p{N}]*|[Vv]ersion|[Rr]elease)\s$/u
/** Behind a number that counts things: "3 steps". */
const COUNTED = /^\s\p{Ll}/u
/** What is looked at before a number, in UTF-16 code units. */
const LONGEST_BEFORE = 40

/** The versions and years in the name of a document, in order: `['4.28']` of "docs version 4.28, v4.28". */
function timesIn(name: string): string[] {
  return Array.from(name.matchAll(TIME), ([, version, year]) => version ?? year ?? '')
}

/**
 * Whether two documents are the same one in different versions or years, by their names alone, and the first one is newer. Documents without a version are neither older nor newer.
 */
export function isNewer(one: DocumentNames, other: DocumentNames): boolean {
  const [name, otherName] = [one.docName ?? '', other.docName ?? '']
  if (name === otherName || titleKey(one) !== titleKey(other)) return false
  if (name.replace(TIME, '') !== otherName.replace(TIME, '')) return false
  return compareTimes(timesIn(name), timesIn(otherName)) > 0
}

/** Whether the start of a question names the version or the year of a document, also by its first numbers: "4" names 4.28. */
export function namesTimeOf(question: string, { docName = '' }: DocumentNames): boolean {
  const named = timesNamedIn(prefixOf(question, LONGEST_READ_QUESTION))
  return timesIn(docName).some(time => named.some(number => `${time}.`.startsWith(`${number}.`)))
}

/** The numbers of a question that do not only count things. */
function timesNamedIn(question: string): string[] {
  return [...question.matchAll(NUMBER)].flatMap(({ 0: whole, 1: number = '', index }) => {
    const isPlain = whole === number && !number.includes('.') && !YEAR.test(number)
    const before = question.slice(Math.max(0, index - LONGEST_BEFORE), index)
    const counts = isPlain && COUNTED.test(question.slice(index + whole.length)) && !BEFORE_VERSION.test(before)
    return counts ? [] : [number]
  })
}

/** The first version or year that differs decides. */
function compareTimes(one: readonly string[], other: readonly string[]): number {
  if (one.length !== other.length) return 0
  return firstDifference(one.map((time, place) => compareNumbers(time, other[place] ?? '')))
}

/** The first number that differs decides: 10 is more than 9, and 4.1 more than 4. NaN where one of them is no number, as in 4.x, or a year alone. */
function compareNumbers(one: string, other: string): number {
  if (YEAR.test(one) !== YEAR.test(other)) return Number.NaN
  const [left = [], right = []] = [one, other].map(time => time.split('.').map(Number))
  const longer = left.length > right.length ? left : right
  return firstDifference(longer.map((_, place) => (left[place] ?? -1) - (right[place] ?? -1)))
}

const firstDifference = (differences: readonly number[]): number =>
  differences.find(difference => difference !== 0) ?? 0
