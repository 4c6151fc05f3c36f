import { addTo } from '../../core/collections.ts'
import { LONGEST_READ_QUESTION, prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import { closesFence, openingFence } from '../../text/fence.ts'
import { askedOptions, optionsOf } from '../../text/names/command-options.ts'
import { markedName } from '../../text/names/marked-name.ts'
import { settingNames } from '../../text/names/setting-name.ts'
import { beginsWithPipe, cellsOf, isDelimiterRow } from '../../text/sentences/table-row.ts'
import { rawWords, terms } from '../../text/terms/terms.ts'

/** Longest name of an entry, in UTF-16 code units, without the marks around it. */
const LONGEST_NAME = 80
/** A name that more passages have an entry for tells none of them from the others: "id" in the tables of an API. */
const MOST_HOLDERS = 3
/** A heading, by its first word: "ISH-4409 in more detail". */
const FIRST_OF_HEADING = /^ {0,3}#{1,6}[^\S\n]+[`*_]{0,3}([^\s`*]{1,80})/u
/** A word that names one thing: it has a digit, a sign inside, or a capital behind a small letter. */
const IDENTIFIER = /\p{N}|[\p{L}][-_.:/]\p{L}|\p{Ll}\p{Lu}/u

/** A text, and where it stands: the name of its document and its section path. */
export interface PlacedText {
  place: string
  text: string
}

/**
 * Finds the passages that have an entry for a name in a question, which has all words of the name one after the other: "default of maxThreads". Entries are
 * - a row of a table, by its first cell
 * - a paragraph or an item of a list that begins with the name in code or in bold, and a heading, when its first word is an identifier
 * - a line that gives a value to an identifier: `max_shards: 200`
 * - a line of fenced code that gives a value to a plain word, where the place has another word of the question: `port: 80`
 * - a line that begins with an option of a command, which counts with its dashes: `--jump`
 *
 * Of more than three passages that have an entry for a name, those count whose place has most words of the question, when they are at most three: "--force of docker volume rm".
 *
 * @returns for each passage whether it has one
 */
export function* namedEntries(query: string, passages: readonly PlacedText[]): Steps<boolean[]> {
  const question = prefixOf(query, LONGEST_READ_QUESTION)
  const asked = padded(question)
  const isAsked = (name: string): boolean => name.trim() !== '' && asked.includes(name)
  const words = new Set(terms(question))
  const options = new Set(askedOptions(question))
  const holders = new Map<string, number[]>()
  for (const [at, { place, text }] of passages.entries()) {
    const lines = text.split('\n')
    const names = new Set(entriesOf(lines).map(padded).filter(isAsked))
    const plain = [...new Set(plainSettings(lines).map(padded))].filter(isAsked)
    const placed = plain.length > 0 ? terms(place).filter(term => words.has(term)) : []
    for (const name of plain) if (hasOtherThan(name, placed)) names.add(name)
    if (options.size > 0) for (const name of lines.flatMap(optionsOf)) if (options.has(name)) names.add(name)
    for (const name of names) addTo(holders, name, at)
    yield
  }
  /** Words of the question in the place of a passage. Each place is read once, because a question can have hundreds of names. */
  const shared = new Map<number, number>()
  for (const at of new Set([...holders.values()].filter(isTooMany).flat())) {
    shared.set(at, new Set(terms(passages[at]?.place ?? '').filter(term => words.has(term))).size)
    yield
  }
  const found = new Set([...holders.values()].flatMap(some => closest(some, shared)))
  return passages.map((_, at) => found.has(at))
}

/** Whether terms are more than those of a name. */
function hasOtherThan(name: string, placed: readonly string[]): boolean {
  const own = terms(name)
  return placed.some(term => !own.includes(term))
}

const isTooMany = ({ length }: readonly number[]): boolean => length > MOST_HOLDERS

/** The holders of an entry, or those of too many whose places share most words with the question. */
function closest(holders: readonly number[], shared: ReadonlyMap<number, number>): readonly number[] {
  if (!isTooMany(holders)) return holders
  const most = Math.max(...holders.map(at => shared.get(at) ?? 0))
  const best = holders.filter(at => shared.get(at) === most)
  return isTooMany(best) ? [] : best
}

/** The names of the entries of the lines of a text, in reading order. The names of the columns of a table are none. */
function entriesOf(lines: readonly string[]): string[] {
  const names = lines.map((line, at) => {
    if (!beginsWithPipe(line)) return markedName(line) ?? identifierOf(line) ?? identifierSet(line)
    return isDelimiterRow(line) || isDelimiterRow(lines[at + 1] ?? '') ? undefined : cellsOf(line)[0]
  })
  return names.filter(name => name !== undefined && name.length <= LONGEST_NAME) as string[]
}

/** The identifier that a heading begins with. */
function identifierOf(line: string): string | undefined {
  const word = FIRST_OF_HEADING.exec(line)?.[1]
  return word !== undefined && IDENTIFIER.test(word) ? word : undefined
}

/** The identifier to which a line gives a value. */
function identifierSet(line: string): string | undefined {
  return settingNames(line).find(name => IDENTIFIER.test(name))
}

/** The plain words to which lines of fenced code give values. */
function plainSettings(lines: readonly string[]): string[] {
  const names: string[] = []
  let fence: string | null = null
  for (const line of lines) {
    if (fence === null) fence = openingFence(line)
    else if (closesFence(line, fence)) fence = null
    else names.push(...settingNames(line).slice(0, 1))
  }
  return names.filter(name => !IDENTIFIER.test(name))
}

/** The words of a text between spaces, so that a part of a word is not found in it. */
function padded(text: string): string {
  const words = rawWords(text)
  return words.length === 0 ? '' : ` ${words.join(' ')} `
}
