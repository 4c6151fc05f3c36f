import { isCodeMonospaced } from '../monospaced.ts'
import type { Headings } from './headings.ts'
import { listMark } from './lists/list-mark.ts'
import { type KnownTable, type Line, lengthOf, type PagedRows } from './page-text.ts'
import { begins, LEADERS, surelyGoesOn, usualLeading } from './paragraphs.ts'
import { readTable } from './tables/aligned.ts'
import { withNextPages } from './tables/continued.ts'

/** A table, or names with descriptions; the lines of a cell have line breaks between them. */
export interface TableBlock extends PagedRows {
  kind: 'table' | 'descriptions'
  hasHead?: boolean
}

/** A part of a document that becomes a block of markdown. */
export type PdfBlock =
  | { kind: 'heading'; level: number; lines: Line[] }
  | { kind: 'paragraph'; lines: Line[] }
  | { kind: 'item'; indent: number; mark: string; markLength: number; lines: Line[] }
  | { kind: 'code'; lines: Line[] }
  | TableBlock

/** Puts lines in reading order together to blocks. */
export function toBlocks(lines: readonly Line[], headings: Headings): PdfBlock[] {
  const leading = usualLeading(lines)
  const isCode = codeLines(lines, leading)
  const blocks: PdfBlock[] = []
  /** Left edges of the open items, from the outermost, and how far their text is indented in markdown. */
  let open: { edge: number; textIndent: number }[] = []
  const isHeading = (index: number) => headings.found.has(index)
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as Line
    const heading = headings.found.get(at)
    const table = heading || line.table ? null : readTable(lines, at, isHeading)
    let count = 1
    if (heading) {
      count = heading.lines
      blocks.push({ kind: 'heading', level: heading.level, lines: lines.slice(at, at + count) })
    } else if (line.table) blocks.push(tableBlock(line.table, line.page, blocks.at(-1)))
    else if (isCode[at]) {
      while (isCode[at + count] && !isHeading(at + count)) count += 1
      blocks.push({ kind: 'code', lines: lines.slice(at, at + count) })
    } else if (table && !isList(table.rows)) {
      const { lines: all, rows, pages } = withNextPages(table, lines, at, isHeading)
      count = all
      blocks.push({ kind: table.isDescriptions ? 'descriptions' : 'table', rows, pages })
    } else {
      while (!isHeading(at + count) && !isCode[at + count] && isSameParagraph(lines, at, at + count, leading))
        count += 1
      const own = lines.slice(at, at + count)
      const mark = markOf(line)
      if (mark === null) blocks.push({ kind: 'paragraph', lines: own })
      else {
        open = blocks.at(-1)?.kind === 'item' ? open.filter(({ edge }) => edge < line.x0 - 3) : []
        const indent = open.at(-1)?.textIndent ?? 0
        open.push({ edge: line.x0, textIndent: indent + mark.mark.length + 1 })
        blocks.push({ kind: 'item', indent, ...mark, lines: own })
      }
    }
    at += count
  }
  return blocks
}

/** A table that goes on from the page before has the head of the part there. */
function tableBlock({ rows, pages, hasHead }: KnownTable, page: number, before: PdfBlock | undefined): PdfBlock {
  const head =
    before?.kind === 'table' && before.hasHead && before.pages.at(-1) === page - 1 ? before.rows[0] : undefined
  if (hasHead || head === undefined || head.length !== rows[0]?.length) return { kind: 'table', rows, pages, hasHead }
  return { kind: 'table', rows: [head, ...rows], pages: [page, ...pages], hasHead: true }
}

/** Of each line, whether it is code: a monospaced one, unless it goes on with a line of text, as an address that is parted does. */
function codeLines(lines: readonly Line[], leading: number): boolean[] {
  if (!isCodeMonospaced(lengthOf(lines.filter(line => line.isMonospaced)), lengthOf(lines))) return []
  const isCode: boolean[] = []
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1]
    const goesOn = before !== undefined && !before.table && !isCode[at - 1] && surelyGoesOn(line, before, leading)
    isCode.push(line.isMonospaced && !goesOn && !isNameOfItem(lines, at))
  }
  return isCode
}

/** Whether tags tell that a monospaced line begins an item, as names of options do, and that no other such line follows. */
function isNameOfItem(lines: readonly Line[], at: number): boolean {
  const { block, item } = lines[at]?.tag ?? { block: null, item: null }
  const [before, next] = [lines[at - 1], lines[at + 1]]
  return (
    item !== null &&
    item === block &&
    before?.tag?.block !== block &&
    !(next?.isMonospaced && next.tag?.block === block)
  )
}

/** Marks and items of a list stand below each other too. */
function isList(rows: readonly string[][]): boolean {
  return rows.every(row => row.length === 2 && listMark(`${row[0]} ${row[1]}`) !== null)
}

function isSameParagraph(lines: readonly Line[], first: number, at: number, leading: number): boolean {
  const [line, before] = [lines[at], lines[at - 1] as Line]
  if (line === undefined || line.table || LEADERS.test(before.text)) return false
  if (line.cells.length > 1 && readTable(lines, at) !== null && listMark(line.text) === null) return false
  return !begins(line, before, lines[first] as Line, leading)
}

function markOf(line: Line): { mark: string; markLength: number } | null {
  const found = listMark(line.text)
  if (found !== null) return { mark: found.mark, markLength: found.length }
  // Tags tell an item whose mark is a drawing.
  return typeof line.tag?.item === 'number' ? { mark: '-', markLength: 0 } : null
}
