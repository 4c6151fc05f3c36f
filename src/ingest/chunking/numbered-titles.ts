import type MarkdownIt from 'markdown-it'
import { groupBy } from '../../core/collections.ts'

/** Titles in a text by the places of their lines, from 0. A name is what the lines say without their signs. */
export type TitleLines = ReadonlyMap<number, { depth: number; lines: number; name?: string }>

interface NumberedTitle {
  /** Place of its line, from 0. */
  line: number
  /** Two where the name stands below the number, as in laws. */
  lines: 1 | 2
  /** "Article" of "Article 2", in capitals; empty for a number alone. */
  word: string
  number: number[]
}

const LONGEST = 80
/** A line of a memo of the IETF has 72 characters, and the next word did not fit. */
const FULL_LINE = 55
/** "2.1.  Packet format". */
const BY_NUMBER = /^(\d{1,3}(?:\.(?!0\d)\d{1,3}){0,4})\.?[^\S\n]+(?=\p{Lu})/u
/** "§ 3 Speed", "Article 2", "Section 4. Use", "TOP 1: Bridge". */
const BY_WORD =
  /^(§|\p{Lu}\p{L}{2,11}(?=[^\S\n]))[^\S\n]?(\d{1,3}|[IVX]{1,6})[a-z]?(?:[.:]?$|(?:[.:]|[^\S\n][-–—:])?[^\S\n]+\S)/u
/** What ends a sentence or goes on; and a number behind dots, as in contents. */
const ENDS = /[.,;:!?…]$|\.[\s.]*\d+$/
/** "3.9 How is it cut?": a number with parts is that of a section and not of an item, also before a question. */
const HAS_PARTS = /^\d+\.\d/
const QUESTION = /\?$/
const BY_WORD_ALONE = /^\S+[^\S\n]?\S+[.:]?$/
/** Words whose numbers do not count sections of a text. */
const NO_SECTION = /^(?:fig|figure|table|tab|tabelle|tableau|abb|abbildung|page|seite|speaker|note)$/iu
const FEWEST = 3
/** Words of text for each title on average: with less it is a list. */
const FEWEST_WORDS = 15
const DEEPEST = 6
/** So many parts have the number of a section below others, and an address of a network. */
const PARTS_OF_ADDRESS = 4

/**
 * The titles of a text by their numbers, which count up, as those of laws, contracts and memos of the IETF: short lines in the first column below a blank line, that no sign ends. None where
 * there are less than three of a kind, where numbers begin anew, as in contents and several lists, where most of them skip others, as prices and times do, or where little text stands between them. The deeper a number, the deeper is its title, and all numbers
 * are deeper than "Article 2".
 */
export function numberedTitles(text: string): TitleLines {
  const lines = text.split(/\r\n|\r|\n/).map(line => line.trimEnd())
  const found = belowContents(
    lines.flatMap((_, at) => titleAt(lines, at) ?? []),
    lines,
  )
  const kinds = [...groupBy(found, ({ word }) => word)].filter(
    ([word, titles]) => titles.length >= FEWEST && countUp(titles) && (word !== '' || countOneByOne(titles)),
  )
  const titles = kinds.flatMap(([, titles]) => titles)
  const words = text.split(/\s+/).length
  if (words < FEWEST_WORDS * titles.length) return new Map()
  const order = kinds.map(([word]) => word).filter(word => word !== '')
  const depthOf = ({ word, number }: NumberedTitle) =>
    word === '' ? order.length + number.length : order.indexOf(word) + 1
  return new Map(titles.map(title => [title.line, { depth: Math.min(DEEPEST, depthOf(title)), lines: title.lines }]))
}

function titleAt(lines: readonly string[], at: number): NumberedTitle | null {
  const [before = '', line = '', next = '', behind = ''] = [-1, 0, 1, 2].map(offset => lines[at + offset])
  if (before !== '' || line.length > LONGEST) return null
  const numbered = BY_NUMBER.exec(line)?.[1]
  if (numbered !== undefined) {
    const hasParts = HAS_PARTS.test(line)
    const isTitle = (end: string) => !ENDS.test(end) || (hasParts && QUESTION.test(end))
    const titled = { line: at, word: '', number: numbered.split('.').map(Number) }
    // A line that goes on below, deeper, is an item of a list, unless its number has parts.
    const isIndented = /^\s/.test(next)
    if (hasParts && behind === '' && goesOn(line, next) && isTitle(next)) return { ...titled, lines: 2 }
    // A full line goes on below, whatever the next one begins with.
    const isWrapped = next !== '' && (line.length >= FULL_LINE || /^\p{Ll}/u.test(next))
    if (!isIndented && isTitle(line) && !isWrapped) return { ...titled, lines: 1 }
  }
  if (/^\s*\p{Ll}/u.test(next)) return null
  const [, word = '', number = ''] = BY_WORD.exec(line) ?? []
  const isAlone = BY_WORD_ALONE.test(line)
  if (word === '' || NO_SECTION.test(word) || (!isAlone && ENDS.test(line))) return null
  const hasNameBelow = isAlone && behind === '' && /^\p{Lu}/u.test(next) && next.length <= LONGEST && !ENDS.test(next)
  return { line: at, lines: hasNameBelow ? 2 : 1, word: word.toUpperCase(), number: [numberOf(number)] }
}

/** Whether a title goes on in the next line: below its first word, in lower case or because its own line is full, or in the first column below a full line. Other indented lines are text. */
function goesOn(line: string, next: string): boolean {
  if (next === '' || next.length > LONGEST) return false
  const [column, isFull] = [next.search(/\S/), line.length >= FULL_LINE]
  if (column === 0) return isFull
  return column === BY_NUMBER.exec(line)?.[0].length && (isFull || /^\s*\p{Ll}/u.test(next))
}

/** The titles without those of contents above the text: titles that come again, among lines that nearly all begin with a number. */
function belowContents(titles: readonly NumberedTitle[], lines: readonly string[]): readonly NumberedTitle[] {
  const nameOf = ({ line, lines: count }: NumberedTitle): string =>
    lines
      .slice(line, line + count)
      .join(' ')
      .replace(/\s+/g, ' ')
      .toLowerCase()
  const places = new Map(titles.map(title => [nameOf(title), title.line]))
  const first = titles.find(title => places.get(nameOf(title)) !== title.line)
  if (first === undefined) return titles
  const end = places.get(nameOf(first)) ?? first.line
  const contents = lines.slice(first.line, end)
  const entries = contents.filter(line => /^\s*\d/.test(line)).length
  const words = contents.join(' ').split(/\s+/).length
  if (words >= FEWEST_WORDS * entries) return titles
  return titles.filter(({ line }) => line < first.line || line >= end)
}

/** Of a number in Arabic or Roman digits. */
function numberOf(number: string): number {
  if (/^\d/.test(number)) return Number(number)
  const digits = Array.from(number, digit => ({ I: 1, V: 5, X: 10 })[digit] ?? 0)
  return digits.reduce((sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit), 0)
}

function countUp(titles: readonly NumberedTitle[]): boolean {
  return titles.every(({ number }, at) => at === 0 || isBefore(titles[at - 1]?.number ?? [], number))
}

/** Whether at least half of the numbers follow the one before as sections do, and none is an address: of four parts, where no shorter number begins as it does. */
function countOneByOne(titles: readonly NumberedTitle[]): boolean {
  const numbers = titles.map(({ number }) => number)
  const chapters = new Set(numbers.filter(({ length }) => length < PARTS_OF_ADDRESS).map(([first]) => first))
  if (numbers.some(({ 0: first, length }) => length >= PARTS_OF_ADDRESS && !chapters.has(first))) return false
  const steps = numbers.filter((number, at) => at > 0 && isNext(numbers[at - 1] ?? [], number)).length
  return 2 * steps >= titles.length - 1
}

/** Whether a number can stand directly behind another one: "2.1" behind "2", and "2.2", "2.1.1", "3" or "3.0" behind "2.1". */
function isNext(left: readonly number[], right: readonly number[]): boolean {
  const at = right.findIndex((value, place) => value !== left[place])
  return right.slice(at).every((value, place) => value <= 1 || (place === 0 && value === (left[at] ?? 0) + 1))
}

function isBefore(left: readonly number[], right: readonly number[]): boolean {
  const at = right.findIndex((value, place) => value !== left[place])
  return at >= 0 && (left[at] ?? -1) < (right[at] ?? 0)
}

/** Reads these lines as headings. The titles are in `env.titles`. */
export function readNumberedTitles(parser: MarkdownIt): void {
  const read: Parameters<typeof parser.block.ruler.before>[2] = (state, startLine, _endLine, silent) => {
    const title = (state.env.titles as TitleLines | undefined)?.get(startLine)
    if (title === undefined || state.sCount[startLine] !== 0) return false
    // It ends a list, as that of the contents above the first title.
    if (silent || state.level > 0) return silent
    const map: [number, number] = [startLine, startLine + title.lines]
    const written = state.src.slice(state.bMarks[startLine], state.eMarks[map[1] - 1])
    const content = (title.name ?? written).replace(/\s+/g, ' ').trim()
    Object.assign(state.push('heading_open', `h${title.depth}`, 1), { map, markup: 'number' })
    Object.assign(state.push('inline', '', 0), { map, content, children: [] })
    state.push('heading_close', `h${title.depth}`, -1)
    state.line = map[1]
    return true
  }
  parser.block.ruler.before('table', 'numbered_title', read, { alt: ['list', 'blockquote', 'paragraph'] })
}
