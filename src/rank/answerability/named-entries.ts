import { addTo } from '../../core/collections.ts'
import { LONGEST_READ_QUESTION, prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import { askedOptions, optionsOf } from '../../text/names/command-options.ts'
import { beginsWithPipe, cellsOf, isDelimiterRow } from '../../text/sentences/table-row.ts'
import { rawWords, terms } from '../../text/terms/terms.ts'

/** Longest name of an entry, in UTF-16 code units, without the marks around it. */
const LONGEST_NAME = 80
/** A name that more passages have an entry for tells none of them from the others: "id" in the tables of an API. */
const MOST_HOLDERS = 3
/** A paragraph or an item of a list that begins with code or with words in bold. */
const MARKED_NAME = /^[^\S\n]*(?:[-*+][^\S\n]{1,4})?(`{1,2}|\*\*)([^`*\n]{1,80})\1/u

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
 * Finds the passages that have an entry for a name in a question: a row of a table whose first cell it is, or a paragraph or an item of a list that begins with it in code or in bold, or a heading whose first word it is, when this is an identifier. A question names an entry when
 * it has all words of the name one after the other: "default of maxThreads". An option of a command (`--jump`) may begin any line, and counts with its dashes. Of more than three passages that have an entry for a name, those count whose place has most words of the question, when they are at most three: "--force of docker volume rm".
 *
 * @returns for each passage whether it has one
 */
export function* namedEntries(query: string, passages: readonly PlacedText[]): Steps<boolean[]> {
  const question = prefixOf(query, LONGEST_READ_QUESTION)
  const asked = padded(question)
  const options = new Set(askedOptions(question))
  const holders = new Map<string, number[]>()
  for (const [at, { text }] of passages.entries()) {
    const lines = text.split('\n')
    const names = new Set(entriesOf(lines).map(padded))
    for (const name of names) if (name.trim() !== '' && asked.includes(name)) addTo(holders, name, at)
    if (options.size > 0)
      for (const name of new Set(lines.flatMap(optionsOf))) if (options.has(name)) addTo(holders, name, at)
    yield
  }
  const words = new Set(terms(question))
  /** Words of the question in the place of a passage. Each place is read once, because a question can have hundreds of names. */
  const shared = new Map<number, number>()
  for (const at of new Set([...holders.values()].filter(isTooMany).flat())) {
    shared.set(at, new Set(terms(passages[at]?.place ?? '').filter(term => words.has(term))).size)
    yield
  }
  const found = new Set([...holders.values()].flatMap(some => closest(some, shared)))
  return passages.map((_, at) => found.has(at))
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
    if (!beginsWithPipe(line)) return MARKED_NAME.exec(line)?.[2] ?? identifierOf(line)
    return isDelimiterRow(line) || isDelimiterRow(lines[at + 1] ?? '') ? undefined : cellsOf(line)[0]
  })
  return names.filter(name => name !== undefined && name.length <= LONGEST_NAME) as string[]
}

/** The identifier that a heading begins with. */
function identifierOf(line: string): string | undefined {
  const word = FIRST_OF_HEADING.exec(line)?.[1]
  return word !== undefined && IDENTIFIER.test(word) ? word : undefined
}

/** The words of a text between spaces, so that a part of a word is not found in it. */
function padded(text: string): string {
  const words = rawWords(text)
  return words.length === 0 ? '' : ` ${words.join(' ')} `
}
