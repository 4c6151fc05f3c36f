import { closesFence, openingFence } from '../../text/fence.ts'

/** What opens HTML that goes on to its own end, over blank lines, and what ends it (CommonMark 0.31, 4.6, the first five kinds). */
const OPEN_HTML: readonly (readonly [begins: RegExp, ends: RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<![A-Za-z]/, />/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
]
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/
/** A line below a paragraph that makes a heading of it. */
const TITLE_RULE = /^ {0,3}(?:=+|-+)[ \t]*$/

/**
 * A Markdown text after which other text can follow: its last code block is closed, and HTML that never ends begins with a backslash.
 * Time is linear in the length of the text.
 *
 * @param keepsHeadings whether its headings may open sections of the document; else they are text
 */
export function enclosed(text: string, { keepsHeadings }: { keepsHeadings: boolean }): string {
  const lines = text.split('\n')
  // HTML that one line opens is ended by this line or a later one. The last ends are found once.
  const lastEnds = OPEN_HTML.map(([, ends]) => lines.findLastIndex(line => ends.test(line)))
  let fence: string | null = null
  let htmlEnd: RegExp | null = null
  const kept = lines.map((line, at) => {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null
      return line
    }
    if (htmlEnd !== null) {
      if (htmlEnd.test(line)) htmlEnd = null
      return line
    }
    const kind = OPEN_HTML.findIndex(([begins]) => begins.test(line))
    const ends = OPEN_HTML[kind]?.[1]
    if (ends !== undefined) {
      if ((lastEnds[kind] ?? -1) < at) return escaped(line)
      if (!ends.test(line)) htmlEnd = ends
      return line
    }
    fence = openingFence(line)
    if (fence !== null || keepsHeadings) return line
    const isUnderTitle = TITLE_RULE.test(line) && (lines[at - 1] ?? '').trim() !== ''
    return HEADING.test(line) || isUnderTitle ? escaped(line) : line
  })
  return fence === null ? kept.join('\n') : [...kept, fence].join('\n')
}

function escaped(line: string): string {
  return line.replace(/\S/, '\\$&')
}
