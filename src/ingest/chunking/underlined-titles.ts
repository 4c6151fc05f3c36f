import { closesFence, openingFenceOfText } from '../../text/fence.ts'
import { hasColumns, isTitleRule, isUnderlined, LIST_ITEM } from '../../text/sentences/line-forms.ts'
import type { TitleLines } from './numbered-titles.ts'

interface UnderlinedTitle {
  /** Place of its first line, from 0. */
  line: number
  /** Three with a line of signs above the title, too. */
  lines: 2 | 3
  name: string
  sign: string
}

/** Of a title that a line of signs makes one, in UTF-16 code units. */
export const LONGEST_TITLE = 200
/** A sentence of six words or more is no title of a text that is no Markdown. */
export const SENTENCE = /^(?:\S+\s+){5,}\S+[.!]$/u
/** Lines of tables and drawings, directives and comments of reStructuredText. */
const NO_TITLE = /^(?:\||\+|\.\.(?:\s|$))/u
/** What delimits a block of AsciiDoc. */
const DELIMITER = 4
const DEEPEST = 6

/**
 * The titles of a text that marks them as reStructuredText does: a line of one sign below the title, and perhaps the same line above it. The first form of the text is its highest level, the
 * next new form the one below, and so on (docutils, "Sections"). None where Markdown reads all of them, too, which are underlined with `=` or `-`.
 */
export function underlinedTitles(text: string): TitleLines {
  const lines = text.split(/\r\n|\r|\n/).map(line => line.trimEnd())
  const titles = [...readTitles(lines)]
  if (titles.every(isReadByMarkdown)) return new Map()
  const forms = [...new Set(titles.map(formOf))]
  return new Map(
    titles.map(title => {
      const depth = Math.min(DEEPEST, forms.indexOf(formOf(title)) + 1)
      return [title.line, { depth, lines: title.lines, name: title.name }]
    }),
  )
}

/** A sentence below which a line is just as long is a title here, and not in other text that is no Markdown. */
const isReadByMarkdown = ({ sign, lines, name }: UnderlinedTitle): boolean =>
  lines === 2 && '=-'.includes(sign) && !SENTENCE.test(name)

const formOf = ({ sign, lines }: UnderlinedTitle): string => `${sign}${lines}`

function* readTitles(lines: readonly string[]): Iterable<UnderlinedTitle> {
  let fence: string | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null
      continue
    }
    const title = titleAt(lines, at)
    if (title === null) fence = openingFenceOfText(line)
    else {
      yield title
      at += title.lines - 1
    }
  }
}

function titleAt(lines: readonly string[], at: number): UnderlinedTitle | null {
  const [above = '', first = '', second = '', third = ''] = [-1, 0, 1, 2].map(offset => lines[at + offset])
  if (above !== '' || first === '') return null
  const sign = second.trim().charAt(0)
  if (isTitleRule(first)) {
    const isOverlined = second !== '' && first === third && !first.startsWith(' ') && isBelowRule(first, second)
    return isOverlined ? { line: at, lines: 3, name: second.trim(), sign: first.charAt(0) } : null
  }
  const isItem = LIST_ITEM.test(first) && !(/^\d/.test(first) && isAsLong(first, second))
  const isBegun = /^\S/.test(first) && !isItem
  // Other signs may begin code, or be what they are, unless they are just as long as the title.
  const isClear = '=-'.includes(sign) || third === '' || third.startsWith('.. ') || isAsLong(first, second)
  const isSentence = SENTENCE.test(first) && !isAsLong(first, second)
  return isBegun && isClear && isName(first) && !isSentence && isUnderlined(first, second)
    ? { line: at, lines: 2, name: first, sign }
    : null
}

/** Whether somebody made the line below a title just as long. */
const isAsLong = (title: string, rule: string): boolean =>
  rule.trimEnd().length === title.trimEnd().length && title.length > DELIMITER

/** Whether a line between two rules is a title, and not the only line of a block, a table or a comment. */
function isBelowRule(rule: string, line: string): boolean {
  const name = line.trim()
  const isBlock = rule.length === DELIMITER && name.length < DELIMITER
  return (
    !isBlock && name.length <= rule.length && !name.startsWith(rule.charAt(0)) && !SENTENCE.test(name) && isName(name)
  )
}

const isName = (line: string): boolean =>
  line.length <= LONGEST_TITLE && /[\p{L}\p{N}]/u.test(line) && !NO_TITLE.test(line) && !hasColumns(line)
