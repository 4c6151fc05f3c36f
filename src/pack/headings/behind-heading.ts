import type { Candidate, Chunk } from '../../core/types.ts'
import { withoutRoles } from '../../text/names/roles.ts'
import { isTitleRule, isUnderlined } from '../../text/sentences/line-forms.ts'
import { HEADING_SEPARATOR, longestNameIn, type Renderer } from '../render.ts'
import { behindAnchors } from './anchors.ts'

const HASHES = /^[^\S\n]{0,3}#{1,6}(?=[^\S\n])/u
const CLOSING_HASHES = /#+$/u
/** Blank lines, and a rule below them, which nothing but the heading stands above. */
const BLANK_LINES = /(?:[^\S\n]*\n)*(?: {0,3}([-*_])(?:[^\S\n]*\1){2,200}[^\S\n]*\n(?:[^\S\n]*\n)+)?/uy
/** Marks of Markdown, which a heading can have and a section path has not. */
const MARKS = /[*_`~\\\s]+/gu
/** A link of Markdown, of which the section path has the text. */
const LINK = /\[([^[\]]*)\]\([^()]*\)/gu
/** A heading of AsciiDoc or of a wiki: "== Header ==". */
const EQUALS = /^={1,6}[^\S\n]+(?=\S)/u
const CLOSING_EQUALS = /\s={1,6}\s*$/u
/** In text without marks, titles are known by their numbers: "2.1.  Header", "Article 2". */
const NUMBERED = /^(?:§|\p{Lu}\p{L}{2,11}(?=\s))?\s?\d/u
/** Or by their capitals: "FILE FORMAT". */
const CAPITALS = /^\p{Lu}[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$/u
/** Longest heading that is looked at, in UTF-16 code units. */
const LONGEST = 300
const MOST_HEADINGS = 6

/** The candidates, whose texts begin behind the heading of their section, and behind those above it, where the source line shows all of them whole. */
export function behindHeadings(
  candidates: readonly Candidate[],
  renderer: Renderer,
  budgetTokens: number,
): Candidate[] {
  const longestName = longestNameIn(budgetTokens)
  return candidates.map(candidate => {
    const { chunk, sourceName, pageTitle } = candidate
    const path = renderer.shownPath({ ...chunk, pageTitle, sourceName }, longestName)
    const textStart = textStartOf(chunk, sourceName === undefined ? path : path.replace(` (${sourceName})`, ''))
    return textStart === 0 ? candidate : { ...candidate, textStart }
  })
}

/** @param path the names in the source line */
function textStartOf(chunk: Chunk, path: string): number {
  const { text, sectionPath } = chunk
  if (sectionPath === '') return 0
  const own = namesIn(sectionPath).at(-1)
  const headings = headingsOf(text, namesIn(sectionPath))
  const last = headings.findLastIndex(({ name }) => name === own)
  if (own === '' || last < 0) return 0
  const shown = namesIn(path)
  if (shown.at(-1) !== own || !headings.slice(0, last).every(({ name }) => shown.includes(name))) return 0
  const start = headings[last]?.end ?? 0
  return text.slice(start).trim() === '' ? 0 : start
}

interface Heading {
  name: string
  /** Where its lines end, and the blank lines and the rule below it. */
  end: number
}

/** The headings that a text begins with, and the anchors above them: lines that are marked as headings, and lines of text without marks that are names in the section path, with a number or in capitals. */
function headingsOf(text: string, names: readonly string[]): Heading[] {
  const headings: Heading[] = []
  while (headings.length < MOST_HEADINGS) {
    const next = headingAt(headings.at(-1)?.end ?? 0, text, names)
    if (next === null) break
    headings.push(next)
  }
  return headings
}

function headingAt(from: number, text: string, names: readonly string[]): Heading | null {
  const start = behindAnchors(from, text)
  const end = text.indexOf('\n', start) + 1
  if (end === 0 || end - start > LONGEST) return null
  const line = text.slice(start, end)
  const hashes = HASHES.exec(line)?.[0]
  if (hashes !== undefined) {
    const name = line.slice(hashes.length).trim().replace(CLOSING_HASHES, '')
    return { name: plain(name), end: behindBlankLines(end, text) }
  }
  if (EQUALS.test(line)) {
    const name = line.replace(EQUALS, '').replace(CLOSING_EQUALS, '')
    return isNameIn(names, name) ? { name: plain(name), end: behindBlankLines(end, text) } : null
  }
  const below = text.indexOf('\n', end) + 1
  const next = below === 0 || below - end > LONGEST ? '' : text.slice(end, below)
  if (isUnderlined(line, next)) return { name: plain(line), end: behindBlankLines(below, text) }
  const isNumbered = NUMBERED.test(line)
  if ((isNumbered || CAPITALS.test(line)) && isNameIn(names, line))
    return { name: plain(line), end: behindBlankLines(end, text) }
  if (next === '') return null
  // In laws, the name of an article stands below its number.
  if (isNumbered && isNameIn(names, line + next))
    return { name: plain(line + next), end: behindBlankLines(below, text) }
  return isTitleRule(line) ? headingBelowRule(end, below, text) : null
}

/** A title between two lines of one sign. */
function headingBelowRule(start: number, end: number, text: string): Heading | null {
  const below = text.indexOf('\n', end) + 1
  const title = text.slice(start, end)
  if (below === 0 || below - end > LONGEST || !isUnderlined(title, text.slice(end, below))) return null
  return { name: plain(title), end: behindBlankLines(below, text) }
}

function behindBlankLines(start: number, text: string): number {
  BLANK_LINES.lastIndex = start
  return start + (BLANK_LINES.exec(text)?.[0].length ?? 0)
}

const isNameIn = (names: readonly string[], line: string): boolean => names.includes(plain(line))
const namesIn = (path: string): string[] => path.split(HEADING_SEPARATOR).map(plain)
const plain = (name: string): string => withoutRoles(name.toLowerCase()).replace(LINK, '$1').replace(MARKS, ' ').trim()
