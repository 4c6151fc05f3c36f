import type { Line, PagedRows } from '../page-text.ts'
import { isPossible, longestRows, possibleEnd, readTable, type TableRows } from './aligned.ts'
import { type Columns, rangesOf } from './columns.ts'
import { areSameColumns, joinPartedRows } from './page-breaks.ts'

/** What a page has of a table, its rows as they stand there. */
interface Part extends PagedRows {
  columns: Columns
  /** Index of its first line, and of the one behind it. */
  start: number
  end: number
  /** Rows at its start that are the rest of a row on the page before. */
  rests: number
}

/** The table that `readTable` found at `start`, with its rows on the next pages. */
export function withNextPages(
  table: TableRows,
  lines: readonly Line[],
  start: number,
  isHeading: (index: number) => boolean,
): TableRows {
  const head = linesOfFirstRow(lines, start, table.rows)
  const parts: Part[] = [{ ...table, start, end: start + table.lines, rests: 0 }]
  for (let next: Part | null = parts[0] as Part; next !== null; ) {
    next = nextPart(lines, next, head, isHeading)
    if (next !== null) parts.push(next)
  }
  const rows = joinPartedRows({
    rows: parts.flatMap(part => part.rows),
    pages: parts.flatMap(({ pages }) => pages),
  })
  return { ...table, ...rows, lines: (parts.at(-1) as Part).end - start }
}

/** The lines that make up the first of the rows. */
function linesOfFirstRow(lines: readonly Line[], start: number, [row = []]: readonly string[][]): readonly Line[] {
  let letters = lettersOf(row.join(''))
  let end = start
  while (letters > 0 && end < lines.length) {
    letters -= lettersOf(lines[end]?.text ?? '')
    end += 1
  }
  return lines.slice(start, end)
}

function lettersOf(text: string): number {
  return text.replace(/\s+/g, '').length
}

/**
 * The part of a table at the start of the next page: lines with the same columns, perhaps below the same head. Null when they are no rows of
 * the table, or when a first row of one cell is not clearly the rest of the row before.
 */
function nextPart(
  lines: readonly Line[],
  before: Part,
  head: readonly Line[],
  isHeading: (index: number) => boolean,
): Part | null {
  if (lines[before.end]?.page !== (lines[before.end - 1] as Line).page + 1) return null
  const isRepeated = head.every(({ text }, at) => lines[before.end + at]?.text === text)
  const start = before.end + (isRepeated ? head.length : 0)
  const first = lines[start]
  if (!isPossible(first) || isHeading(start) || (!isRepeated && isOtherHead(first, lines[before.end - 1], head)))
    return null
  const together = readTogether(lines, before, start, isHeading)
  const alone = readAlone(lines, before, start, isHeading)
  const part = alone !== null && alone.end > (together?.end ?? 0) ? alone : together
  if (part === null) return null
  const both = { rows: [...before.rows, ...part.rows], pages: [...before.pages, ...part.pages] }
  const isRest = joinPartedRows(both).rows.length < both.rows.length
  if (!isRest && part.rows[0]?.filter(Boolean).length === 1) return null
  return { ...part, rests: isRest ? 1 : 0 }
}

/** Rows that lines make up together with the part of the table on the page before; null when they change its rows. */
function readTogether(
  lines: readonly Line[],
  before: Part,
  start: number,
  isHeading: (index: number) => boolean,
): Part | null {
  const leftOut = before.rests === 0 ? 0 : linesOfFirstRow(lines, before.start, before.rows).length
  const own = lines.slice(before.start + leftOut, before.end)
  const ownRows = before.rows.slice(before.rests)
  const following = lines.slice(start, possibleEnd(lines, start, isHeading))
  const table = longestRows([...own, ...following], own.length + 1)
  if (table === null || !ownRows.every((row, at) => row.join('\t') === table.rows[at]?.join('\t'))) return null
  const { columns } = table
  const end = start + table.lines - own.length
  if (!areSameColumns(rangesOf(own, columns), rangesOf(lines.slice(start, end), columns))) return null
  // A line beside the first column would be the rest of the last row.
  if ((following[end - start]?.x0 ?? 0) > (columns[0]?.x1 ?? 0)) return null
  return {
    rows: table.rows.slice(ownRows.length),
    pages: table.pages.slice(ownRows.length),
    columns,
    start,
    end,
    rests: 0,
  }
}

/** Rows that lines make up without those on the page before; null when their columns are others. */
function readAlone(
  lines: readonly Line[],
  before: Part,
  start: number,
  isHeading: (index: number) => boolean,
): Part | null {
  const table = readTable(lines, before.end, isHeading)
  if (table === null || table.columns.length !== before.columns.length) return null
  const end = before.end + table.lines
  const [own, following] = [lines.slice(before.start, before.end), lines.slice(start, end)]
  if (!areSameColumns(rangesOf(own, before.columns), rangesOf(following, table.columns))) return null
  const heads = start === before.end ? 0 : 1
  return { ...table, rows: table.rows.slice(heads), pages: table.pages.slice(heads), start, end, rests: 0 }
}

/** Whether a bold line begins another table, as the bold head of this one does. */
function isOtherHead(first: Line, before: Line | undefined, head: readonly Line[]): boolean {
  return first.isBold && before?.isBold === false && head.every(({ isBold }) => isBold)
}
