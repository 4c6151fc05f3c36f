import { closesFence, leavesFence, openingFence } from '../fence.ts'
import { drawnLines, isDrawnRule, readDrawnTable } from './drawn-table.ts'
import { isBoldLine, isTitleRule, isUnderlined } from './line-forms.ts'
import { beginsWithPipe, beginTable } from './table-row.ts'

/** Headings, list items, table rows and lines of a drawing, such as a tree of folders: each line is one sentence. */
const OWN_LINE = /^\s{0,12}(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|[|\u2500-\u257F])/u
/** A line below these is a rule. "1. Setup" can be a title. */
const NO_TITLE = /^\s{0,12}(?:#{1,6}\s|[-*+•]\s|\|)/

/** What a line of a text is: a title is also a paragraph of bold text in one line, and code is fenced code. Headings with `#` and items of lists are text. */
export type LineKind = 'text' | 'title' | 'row' | 'code'

interface Line {
  line: string
  index: number
  kind: LineKind
  /** Whether it stands in a paragraph whose lines were broken where they were full. */
  isFilled: boolean
}

/** Whether a line is a sentence by its first sign: a heading, an item of a list or a row of a table. */
export function standsAlone(line: string): boolean {
  return OWN_LINE.test(line)
}

/** The lines of a text with their line breaks; blank lines together are one, and so are a title and the lines below and above it, and a block of fenced code. */
export function* linesOf(text: string): Generator<Line> {
  let paragraph: Line[] = []
  let code: { fence: string; index: number; end: number } | null = null
  let isInTable = false
  let drawn: { rows: Line[]; end: number } = { rows: [], end: 0 }
  const codeLine = ({ index, end }: { index: number; end: number }): Line => {
    return { line: text.slice(index, end), index, kind: 'code', isFilled: false }
  }
  for (const { 0: line, index } of text.matchAll(/\n+|[^\n]*\n|[^\n]+$/g)) {
    const end = index + line.length
    if (code !== null) {
      const isOutside = leavesFence(line, code.fence)
      if (!isOutside) code.end = end
      if (isOutside || closesFence(line, code.fence)) {
        yield codeLine(code)
        code = null
      }
      if (!isOutside) continue
    }
    if (index >= drawn.end && isDrawnRule(line)) {
      drawn = drawnTable(text, index)
      if (drawn.rows.length > 0) yield* filled(paragraph)
      yield* drawn.rows
    }
    if (index < drawn.end && drawn.rows.length > 0) {
      paragraph = []
      continue
    }
    const title = titleAbove(paragraph, line)
    if (title !== null) {
      yield title
      paragraph = []
      continue
    }
    const fence = openingFence(line)
    const isBlank = line.trim() === ''
    const head = paragraph.at(-1)
    const beginsTable = head !== undefined && beginTable(head.line, line)
    if (beginsTable) head.kind = 'row'
    isInTable = beginsTable || (isInTable && line.includes('|') && (beginsWithPipe(line) || !OWN_LINE.test(line)))
    const isRow = isInTable || beginsWithPipe(line)
    if (isBlank || isRow || OWN_LINE.test(line) || fence !== null) {
      yield* filled(paragraph)
      paragraph = []
    }
    const next: Line = { line, index, kind: isRow ? 'row' : 'text', isFilled: false }
    if (fence !== null) code = { fence, index, end }
    else if (isBlank) yield next
    else paragraph.push(next)
  }
  yield* filled(paragraph)
  if (code !== null) yield codeLine(code)
}

/** The rows of a table that is drawn with signs, of which the first two are its head: the names, and the rule below them. None where no row is a head. */
function drawnTable(text: string, start: number): { rows: Line[]; end: number } {
  const lines = drawnLines(text, start)
  const table = readDrawnTable(lines)
  const starts = table === null || table.headLines === 0 ? [] : [0, table.headLines - 1, ...table.rows]
  let index = start
  const rows = starts.map((from, at): Line => {
    const line = lines.slice(from, starts[at + 1]).join('')
    index += line.length
    return { line, index: index - line.length, kind: 'row', isFilled: false }
  })
  return { rows, end: start + lines.join('').length }
}

/** The lines of a paragraph so far, with the next one, when that makes them a title; null otherwise. */
function titleAbove(paragraph: readonly Line[], line: string): Line | null {
  const [first, second] = paragraph
  const title = second ?? first
  if (first === undefined || title === undefined || paragraph.length > 2) return null
  if (NO_TITLE.test(title.line) || !isUnderlined(title.line, line)) return null
  // reStructuredText allows the same line above the title, too.
  if (second !== undefined && !isTitleRule(first.line)) return null
  return { ...first, line: first.line + (second?.line ?? '') + line, kind: 'title' }
}

/** An editor's fill column is rarely outside of this range. */
const SHORTEST_FILL = 60
const LONGEST_FILL = 130
/** Lines that people break by hand end so much before the fill column, though another word would fit. */
const SLACK = 10

/** The lines of a paragraph, marked when each line but the last is so long that the first word of the next one was too much. */
function filled(lines: Line[]): Line[] {
  const [only, ...more] = lines
  if (only && more.length === 0 && isBoldLine(only.line)) return [{ ...only, kind: 'title' }]
  const lengths = lines.map(({ line }) => line.trimEnd().length)
  const width = lengths.reduce((most, length) => Math.max(most, length), 0)
  if (lines.length < 2 || width < SHORTEST_FILL || width > LONGEST_FILL) return lines
  const isFilled = lines.every(({ line }, at) => {
    // The sign of a quotation is no word.
    const word = at === 0 ? null : /[^\s>]\S*/u.exec(line)
    return word === null || (lengths[at - 1] ?? 0) + 1 + word[0].length > width - SLACK
  })
  return isFilled ? lines.map(line => ({ ...line, isFilled })) : lines
}
