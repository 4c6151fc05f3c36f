import { listMark } from '../lists/list-mark.ts'
import type { Line, PagedRows } from '../page-text.ts'
import { LEADERS } from '../paragraphs.ts'
import { type Columns, columnsOf, type Placed, placeLine } from './columns.ts'
import { rowsOf } from './rows-of-lines.ts'

/** The rows that lines make up. */
interface RowsOfLines extends PagedRows {
  /** Number of lines that they take. */
  lines: number
  columns: Columns
}

export interface TableRows extends RowsOfLines {
  /** Whether the rows are names with descriptions, below no head. */
  isDescriptions: boolean
}

/** Share of the cells that have text, at least. */
const FILLED = 0.6
/** Columns are sure when at least this share of the rows has text in all of them. */
const COMPLETE = 0.5
/** More than two columns need at least this many such rows: words of two lines of prose stand below each other by chance. */
const COMPLETE_ROWS = 2
/** The second of two columns has descriptions when its cells have at least this many letters on average, and the first one is no shorter than this share of that. */
const DESCRIPTION = 60
const NO_HEAD = 0.5
/** Lines behind a table that are tried as its next ones, and first lines that are tried as a table. */
const LOOKAHEAD = 15
/** A line of one cell that begins in the first column and is wider than this share of the column of the page is prose. */
const WIDE = 0.6

/**
 * Reads a table that begins at `start`: at least two rows with two cells or more, whose cells stand below each other. A cell can have
 * several lines when rows stand further apart than these. Null when the columns or the rows are not clear.
 */
export function readTable(
  lines: readonly Line[],
  start: number,
  isHeading: (index: number) => boolean = () => false,
): TableRows | null {
  if (!mayBegin(lines[start], lines[start + 1])) return null
  const rows = longestRows(lines.slice(start, possibleEnd(lines, start, isHeading)), 2)
  return rows && { ...rows, isDescriptions: areDescriptions(rows.rows) }
}

/** Index behind the lines on one page that may be a table with the one at `start`. */
export function possibleEnd(lines: readonly Line[], start: number, isHeading: (index: number) => boolean): number {
  let end = start + 1
  while (!isHeading(end) && goesOn(lines[end], lines[end - 1] as Line)) end += 1
  return end
}

/**
 * The rows of the longest start of `lines`, with at least `fewest` of them, that is a table. All lines are tried first, when some of the first ones are a
 * table; then the start grows until a number of lines do not belong to it. So the time is linear where there is no table.
 */
export function longestRows(lines: readonly Line[], fewest: number): RowsOfLines | null {
  let best: RowsOfLines | null = null
  for (let count = fewest; count <= Math.min(lines.length, (best?.lines ?? fewest - 2) + LOOKAHEAD); count += 1) {
    const rows = bestRows(lines.slice(0, count))
    if (rows === null) continue
    const whole = best === null ? bestRows(lines) : null
    if (whole !== null) return whole
    best = rows
  }
  return best
}

/** Whether a line has two cells, and not only the mark and the text of an item, or is the upper part of a cell beside the first column. */
function mayBegin(line: Line | undefined, next: Line | undefined): boolean {
  if (!isPossible(line)) return false
  if (line.cells.length > 1) return line.cells.length > 2 || !isMark(line.cells[0]?.text ?? '')
  const [first, second] = next?.cells ?? []
  if (next === undefined || first === undefined || second === undefined || next.page !== line.page) return false
  const distance = next.y - line.y
  return distance > 0 && distance < 2 * line.size && line.x0 > first.x1
}

/** Whether a line is no table by its tags, and no entry of contents. */
export function isPossible(line: Line | undefined): line is Line {
  return line !== undefined && line.table === undefined && !LEADERS.test(line.text)
}

function isMark(text: string): boolean {
  return listMark(`${text} item`)?.length === text.length + 1
}

function goesOn(line: Line | undefined, before: Line): boolean {
  if (!isPossible(line) || line.page !== before.page) return false
  const distance = line.y - before.y
  return distance > 0 && distance < 3 * line.size && !isProse(line)
}

function isProse({ cells, x0, x1, column }: Line): boolean {
  const width = column.right - column.left
  return cells.length === 1 && x1 - x0 > WIDE * width && x0 < column.left + 0.1 * width
}

/** The rows by the columns that are clearest: the most columns that most rows fill, without fewer rows; else the first that fit. */
function bestRows(lines: readonly Line[]): RowsOfLines | null {
  let best: RowsOfLines | null = null
  let most = 0
  for (const columns of columnsOf(lines)) {
    const table = rowsBy(columns, lines)
    if (table === null) continue
    const complete = table.rows.filter(row => row.every(text => text !== '')).length
    if (columns.length > 2 && complete < COMPLETE_ROWS) continue
    best ??= table
    if (columns.length <= most || complete < COMPLETE * table.rows.length || table.rows.length < best.rows.length)
      continue
    best = table
    most = columns.length
  }
  return best
}

function areDescriptions(rows: readonly string[][]): boolean {
  if (rows[0]?.length !== 2) return false
  const lengths = rows.map(([, description = '']) => description.length)
  const mean = lengths.reduce((sum, length) => sum + length, 0) / rows.length
  return mean >= DESCRIPTION && (lengths[0] ?? 0) >= NO_HEAD * mean
}

function rowsBy(columns: Columns, lines: readonly Line[]): RowsOfLines | null {
  const placed: Placed[] = []
  for (const line of lines) {
    const texts = placeLine(line, columns)
    if (texts === null) return null
    placed.push(texts)
  }
  const table = rowsOf(lines, placed, columns.length)
  const filled = table?.rows.flat().filter(text => text !== '').length ?? 0
  return table && filled >= FILLED * table.rows.length * columns.length
    ? { ...table, lines: lines.length, columns }
    : null
}
