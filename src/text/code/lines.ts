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

/** Whether a part of a file begins inside of a comment: its end stands there and its beginning does not. */
function beginsInComment(text: string): boolean {
  const end = text.indexOf('*/')
  const start = text.indexOf('/*')
  return end >= 0 && (start < 0 || end < start)
}

/** The lines of source code. Languages are not told apart: what is read holds in most of them. */
export function linesOfCode(text: string): CodeLine[] {
  let open: Opening | null = beginsInComment(text) ? COMMENT : null
  return Array.from(text.matchAll(/[^\n]*\n|[^\n]+$/gu), ({ 0: line, index }) => {
    const content = line.trim()
    const opening: Opening | null = open ?? OPENINGS.find(({ opens }) => opens.test(content)) ?? null
    const inside = open === null ? content.replace(opening?.opens ?? '', '') : content
    open = opening !== null && !inside.includes(opening.end) ? opening : null
    const kind = opening?.kind ?? (LINE_COMMENT.test(content) ? 'comment' : 'code')
    const columns = columnsOf(line, TAB_COLUMNS)
    return { start: index, end: index + line.length, content, columns, kind: content === '' ? 'blank' : kind }
  })
}
