import type { Span } from '../../core/types.ts'
import { ACCESS_LABEL, type CodeLine, linesOfCode, withoutRemark } from './lines.ts'

/**
 * A statement with the lines that it goes on in and the ends of blocks behind it, a paragraph of a comment, or a line of a string over many lines. White space belongs to the
 * statement before it.
 */
export interface Statement extends Span {
  /** Width of the white space before its first line. */
  columns: number
  kind: 'comment' | 'string' | 'code'
  isBelowBlank: boolean
  /** Whether it says nothing without what follows: a comment directly above code, an attribute, the beginning of a block, or a line above a string over many lines. */
  opens: boolean
}

/** Ends of blocks and lists, the beginning of a block in a line of its own, and what only goes on. */
const GOES_ON =
  /^(?:[)\]}>]|\{$|\.\w|\?[.\s]|:\s|&&|\|\||(?:else|elif|elsif|except|catch|finally|rescue|ensure|where|end|fi|done|esac)\b)/u
const OPENS_BLOCK = /(?:[{:]|=>|\b(?:do|then|begin|loop))$/u
/** Languages that end a block with a word have nothing at the end of the line that opens it. */
const BEGINS_BLOCK =
  /^(?:(?:local\s|async\s)?(?:def|function|sub|module|class|if|unless|while|until|for|when|else|elsif|begin|case)\b).*[^(,[{;\\]$/u
const ATTRIBUTE = /^(?:@[\w.]+(?:\(.*\))?|#!?\[.*\]|\[[A-Z].*\])$/u
/** A line of a comment without words. */
const MARKS = /^[^\p{L}\p{N}]*$/u

/** The statements of source code, which together are the text. */
export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = []
  let last: CodeLine | null = null
  let isBelowBlank = false
  for (const line of linesOfCode(text)) {
    const before = statements.at(-1)
    if (line.kind === 'blank') {
      if (before) before.end = line.end
      isBelowBlank = true
      continue
    }
    if (before && last && goesOn(line, before, last, isBelowBlank)) before.end = line.end
    else {
      if (before && last) before.opens = opens(before, last, line, isBelowBlank)
      statements.push({
        start: before?.end ?? 0,
        end: line.end,
        columns: line.columns,
        kind: line.kind,
        isBelowBlank,
        opens: false,
      })
    }
    last = line
    isBelowBlank = false
  }
  return statements
}

function goesOn(line: CodeLine, before: Statement, last: CodeLine, isBelowBlank: boolean): boolean {
  if (line.kind !== before.kind) return false
  // A comment goes on up to a line without words, and its marks stay with its text.
  if (line.kind === 'comment')
    return !isBelowBlank && (MARKS.test(line.content) || !MARKS.test(last.content) || isFirst(last, before))
  if (line.kind === 'string') return !isBelowBlank
  return GOES_ON.test(line.content) || (line.columns > before.columns && !isBelowBlank && !opensBlock(last))
}

const isFirst = (last: CodeLine, before: Statement): boolean => last.start === before.start

function opensBlock({ content }: CodeLine): boolean {
  const line = withoutRemark(content)
  return OPENS_BLOCK.test(line) || BEGINS_BLOCK.test(line)
}

/** Whether a statement that ends with the line `last` says nothing without `next`. */
function opens({ columns }: Statement, last: CodeLine, next: CodeLine, isBelowBlank: boolean): boolean {
  const isInside = next.columns > Math.min(columns, last.columns) || ACCESS_LABEL.test(next.content)
  if (last.kind === 'comment') return next.kind !== 'comment' && !isBelowBlank
  // A string over many lines is what is assigned or returned above it.
  if (last.kind === 'code' && next.kind === 'string' && !isBelowBlank) return true
  return last.kind === 'code' && (ATTRIBUTE.test(last.content) || (isInside && opensBlock(last)))
}
