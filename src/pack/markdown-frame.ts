import { beginsOpenCode, closesFence, fenceAround, namesLanguage, openingFence } from '../text/fence.ts'

/**
 * Escapes a stored text so that it cannot leave its frame in a Markdown context: after it, the next source line is read as one,
 * and nothing in it reads as a source line. All other text stays as it is.
 *
 * A backslash goes before
 * - a citation at the start of a line (`[2]`), because source lines have this form; in fenced code only where a letter follows, because a name
 *   stands there in a source line, and code says something else with a backslash (`[1] 0.5`);
 * - a fence or an HTML block (CommonMark 0.31, 4.5 and 4.6) that has no end in the text, because it would go on over the next source.
 *
 * Code that begins in the text is closed instead, because a chunk can end inside of it: its fence names a language, or stands below a blank line, a colon or nothing, and above a line of code.
 */
export function escapeMarkdown(text: string): string {
  const { escaped, closing } = framed(text)
  return `${escaped}${closing}`
}

/** The same for a part of such a text, to count it: another part can hold the end of its code. */
export function escapeMarkdownPart(text: string): string {
  return framed(text).escaped
}

/** Source code in a fence that nothing in it ends. @param language '' for none */
export function fencedCode(code: string, language: string): string {
  const fence = fenceAround(code)
  return `${fence}${language}\n${escapeCitations(code, IN_CODE)}\n${fence}`
}

interface Framed {
  escaped: string
  /** What has to follow the text so that its code ends; '' for nothing. */
  closing: string
}

function framed(text: string): Framed {
  return OPENS.test(text) ? escapeBlocks(text) : { escaped: escapeCitations(text), closing: '' }
}

/** What a reader does not see inside a line. One class, because with alternatives that share a character the time would be exponential. */
const UNSEEN = String.raw`(?:(?![\n\r\v\f\u0085\u2028\u2029])[\s\u2800\p{Cf}\p{Default_Ignorable_Code_Point}])`
/** A number in brackets at the start of a line. Other line ends, invisible characters and wide forms look the same to a reader. Its indentation stays, because blocks end where it changes. */
const CITATION = String.raw`((?:^|[\v\f\u0085])[ \t]*(?![ \t]))(${UNSEEN}*[[［]${UNSEEN}*\p{N}(?:\p{N}|[\u2800\p{Cf}\p{Default_Ignorable_Code_Point}]+\p{N})*${UNSEEN}*[\]］])`
const IN_TEXT = new RegExp(CITATION, 'gmu')
const IN_CODE = new RegExp(String.raw`${CITATION}(?=[^\n\r\v\f\u0085\u2028\u2029]*\p{L})`, 'gmu')

const escapeCitations = (text: string, citation = IN_TEXT): string => text.replace(citation, '$1\\$2')

/** HTML blocks that end with a mark, possibly after blank lines. */
const HTML = /^( {0,3})<(!--|\?|!\[CDATA\[|![a-z]|(?:script|pre|style|textarea)(?=[\s>]|$))/iu
const HTML_ENDS: readonly [start: RegExp, end: RegExp][] = [
  [/^!--/u, /-->/u],
  [/^\?/u, /\?>/u],
  [/^!\[CDATA\[/iu, /\]\]>/u],
  [/^![a-z]/iu, />/u],
  [/^/u, /<\/(?:script|pre|style|textarea)>/iu],
]
const OPENS = /^ {0,3}(?:`{3}|~{3}|<)/mu
const INDENTED = /^(?: {4}| {0,3}\t)/u
const LINE_START = /(?<=\n|\r(?!\n))/u

/** Whether a line ends HTML, and no item of a list: white space of another kind is text (CommonMark 0.31, 2.1). */
const isBlank = (line: string): boolean => /^[ \t\r\n]*$/u.test(line)

interface Opening {
  /** Offset of its mark in the line, which is its indentation too. */
  at: number
  /** Whether a line ends it. The first line is looked at too: `<!-->` is a whole block. */
  endsWith(line: string, isFirst: boolean): boolean
  /** Whether a line behind the first one, and before its end, shows that it opens nothing. */
  isRefutedBy(line: string): boolean
  isCode: boolean
  /** The line to be added behind a text without its end; null where it may be no opening. */
  closing: string | null
}

function escapeBlocks(text: string): Framed {
  const lines = text.split(LINE_START)
  const search = { lines, left: 10 * lines.length }
  const escaped: string[] = []
  /** Up to the next blank line, an HTML block may contain what looks like a fence. */
  let afterTag = false
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const opening = openingOf(line, lines[index - 1], lines[index + 1])
    const isUnsure = afterTag || isTableHead(line, lines[index + 1])
    const end = opening === null ? index : isUnsure ? null : endOf(opening, search, index)
    const isBroken = opening !== null && end === null
    const shown = isBroken ? `${line.slice(0, opening.at)}\\${line.slice(opening.at)}` : line
    const block = [shown, ...lines.slice(index + 1, (end ?? index) + 1)].join('')
    escaped.push(escapeCitations(block, opening?.isCode && !isBroken ? IN_CODE : IN_TEXT))
    if (end === lines.length) return { escaped: escaped.join(''), closing: `\n${opening?.closing}` }
    if (isBlank(line)) afterTag = false
    else if (/^ {0,3}<\/?[a-z]/iu.test(line)) afterTag = true
    index = end ?? index
  }
  return { escaped: escaped.join(''), closing: '' }
}

/** @param above the line before it, absent at the start of the text @param below the line behind it, absent at the end */
function openingOf(line: string, above = '', below = ''): Opening | null {
  // A deeper fence stands in an item of a list, which ends before the next source.
  const fence = INDENTED.test(line) ? null : openingFence(line)
  if (fence !== null) return openingOfCode(line, fence, beginsOpenCode(line, fence, above, below))
  const html = HTML.exec(line)
  if (!html) return null
  const [, indent = '', start = ''] = html
  const ending = HTML_ENDS.find(([form]) => form.test(start))?.[1] ?? /$^/u
  return {
    at: indent.length,
    endsWith: other => ending.test(other),
    isRefutedBy: () => false,
    isCode: false,
    closing: null,
  }
}

function openingOfCode(line: string, fence: string, beginsCode: boolean): Opening {
  const isNamed = namesLanguage(line, fence)
  return {
    at: fence.search(/\S/u),
    endsWith: (other, isFirst) => !isFirst && closesFence(other, fence),
    // A fence alone can be the end of code that begins before the text, and some parsers see an end where white space of another kind follows.
    isRefutedBy: other => !isNamed && (opensSuchCode(other, fence) || hasMarksAlone(other, fence)),
    isCode: true,
    closing: beginsCode ? fence : null,
  }
}

const hasMarksAlone = (line: string, fence: string): boolean =>
  line.trim().startsWith(fence.trimStart()) && /^(?:`+|~+)$/u.test(line.trim())

/** Whether some parsers take a line with a fence for the head of a table, because of the line below it. */
function isTableHead(line: string, below = ''): boolean {
  return line.includes('|') && below.includes('-') && /^[\s|:-]+$/u.test(below)
}

/** Whether a line begins code in a named language, with marks that alone would end the code of `fence`. */
function opensSuchCode(line: string, fence: string): boolean {
  const other = INDENTED.test(line) ? null : openingFence(line)
  if (other === null) return false
  return other.trimStart().startsWith(fence.trimStart()) && namesLanguage(line, other)
}

/**
 * Index of the line that ends a block; the number of lines when the block is to be closed behind the text; null without an end. An indented block may
 * belong to a list item, which ends at a line with less indentation. Then the search ends, because it is not known where the block ends.
 * @param search `left` limits the lines that all searches in a text look at, so that the time is linear. Without any left, a block
 * counts as one without end.
 */
function endOf(
  { at, endsWith, isRefutedBy, closing }: Opening,
  search: { lines: readonly string[]; left: number },
  start: number,
): number | null {
  const { lines } = search
  for (let index = start; index < lines.length; index++) {
    search.left--
    const line = lines[index] ?? ''
    const isOutside = !isBlank(line) && line.search(/[^ ]/u) < at
    if (isOutside || search.left < 0) return null
    if (endsWith(line, index === start)) return index
    if (index > start && isRefutedBy(line)) return null
  }
  return closing === null ? null : lines.length
}
