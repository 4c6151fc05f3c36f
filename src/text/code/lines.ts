import type { Span } from '../../core/types.ts'
import { columnsOf } from '../columns.ts'

/** A line of source code with its line break. */
export interface CodeLine extends Span {
  /** Without the white space around it. */
  content: string
  /** Width of the white space before it. */
  columns: number
  /** A comment fills its line. A string over many lines documents what it stands in. */
  kind: 'blank' | 'comment' | 'string' | 'code'
  /** It could be a heading of Markdown below the first level, which begins as a comment does. */
  isHeading: boolean
}

/** `#` with a word behind it is an instruction of C, and `#[` an attribute of Rust, which can hold documentation. */
const LINE_COMMENT = /^(?:\/\/|#(?![\w[!])|#!\/|#!?\[doc\b|--\s|;;)/u
/** Comments and strings over many lines: how they begin a line, and how they end. */
const OPENINGS = [
  { opens: /^\/\*/u, end: '*/', kind: 'comment' },
  { opens: /^[a-z]{0,2}"""/iu, end: '"""', kind: 'string' },
  { opens: /^[a-z]{0,2}'''/iu, end: "'''", kind: 'string' },
] as const
type Opening = (typeof OPENINGS)[number]

const COMMENT = OPENINGS[0]
const TAB_COLUMNS = 4

/** Who may use what follows: it stands as deep as the class that it is in. */
export const ACCESS_LABEL = /^(?:public|private|protected|signals|Q_SIGNALS)(?:\s+(?:Q_SLOTS|slots))?\s*:(?!:)/u

/** A remark behind the code of a line. */
const REMARK = /\s(?:\/\/|#|--|\/\*)/u
const HEADING = /^#{2,6}[ \t]+\S/u
/** Three quotation marks that can begin a string inside of a line. A quotation mark around them makes them its text. */
const TRIPLE = /(?<!["'`\\])(?:"""(?!")|'''(?!'))/u

/** A comment that is cut ends within so many lines. */
const MOST_CUT_LINES = 40
/** The end of a comment. Patterns of paths and of times go on: `**\/*.ts`, `*\/5`. */
const COMMENT_END = /\*\/(?:\s|$)/u
/** What is in code and not in the words of a comment. */
const NO_COMMENT = /[={}]|\/\*|["([;]$/u

/** A line without the remark behind its code. It is cut at the first mark: an expression that reads to the end is tried again at each mark when a line separator stands there. */
export function withoutRemark(content: string): string {
  const at = content.search(REMARK)
  return at < 0 ? content : content.slice(0, at).trimEnd()
}

/** Whether a part of a file begins inside of a comment: its end stands there, behind nothing but stars and words. */
function beginsInComment(text: string): boolean {
  for (const line of text.split('\n', MOST_CUT_LINES)) {
    const content = line.trim()
    const end = content.search(COMMENT_END)
    const words = end < 0 ? content : content.slice(0, end)
    if (!content.startsWith('*') && NO_COMMENT.test(words)) return false
    if (end >= 0) return true
  }
  return false
}

/** The string that code opens and does not close in its line. */
function openString(code: string): Opening | null {
  let rest = code
  for (;;) {
    const at = rest.search(TRIPLE)
    if (at < 0) return null
    const mark = rest.slice(at, at + 3)
    const end = rest.indexOf(mark, at + 3)
    if (end < 0) return OPENINGS.find(opening => opening.end === mark) ?? null
    rest = rest.slice(end + 3)
  }
}

/** The lines of source code. Languages are not told apart: what is read holds in most of them. */
export function linesOfCode(text: string): CodeLine[] {
  let open: Opening | null = beginsInComment(text) ? COMMENT : null
  return Array.from(text.matchAll(/[^\n]*\n|[^\n]+$/gu), ({ 0: line, index }) => {
    const content = line.trim()
    const opening: Opening | null = open ?? OPENINGS.find(({ opens }) => opens.test(content)) ?? null
    const kind = opening?.kind ?? (LINE_COMMENT.test(content) ? 'comment' : 'code')
    const inside = open === null ? content.replace(opening?.opens ?? '', '') : content
    const end = opening === null ? 0 : inside.indexOf(opening.end)
    if (end < 0) open = opening
    else {
      const found =
        opening?.kind === 'comment' || kind === 'comment'
          ? null
          : openString(inside.slice(end + (opening?.end.length ?? 0)))
      // What nothing closes is no string: other languages have these marks as text.
      open = found && text.includes(found.end, index + line.length) ? found : null
    }
    const columns = columnsOf(line, TAB_COLUMNS)
    return {
      start: index,
      end: index + line.length,
      content,
      columns,
      kind: content === '' ? 'blank' : kind,
      isHeading: opening === null && HEADING.test(line),
    }
  })
}
