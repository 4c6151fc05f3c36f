import type { Line, Segment } from './page-text.ts'

/** Rows of a table, each with a text for every column. */
export interface TableRows {
  /** Number of lines that the table takes. */
  lines: number
  rows: string[][]
}

/** Most columns of a table that is taken for one. */
const MOST_COLUMNS = 20

/**
 * Reads a table that begins at `start`: at least two lines in a row with two cells or more, whose cells stand below each other. Null when
 * the columns are not clear.
 */
export function readTable(
  lines: readonly Line[],
  start: number,
  isHeading: (index: number) => boolean = () => false,
): TableRows | null {
  let end = start
  while (!isHeading(end) && isRow(lines[end], lines[end - 1], end > start)) end += 1
  for (let last = end; last - start >= 2; last -= 1) {
    const rows = alignedRows(lines.slice(start, last))
    if (rows) return { lines: last - start, rows }
  }
  return null
}

function isRow(line: Line | undefined, before: Line | undefined, hasBefore: boolean): boolean {
  if (line === undefined || line.cells.length < 2) return false
  if (!hasBefore || before === undefined) return true
  const distance = line.y - before.y
  return line.page === before.page && distance > 0 && distance < 3 * line.size
}

/** The cells by columns; null when two cells of a line are in one column, or a cell reaches over two. */
function alignedRows(lines: readonly Line[]): string[][] | null {
  const columns = columnsOf(lines)
  if (columns.length < 2 || columns.length > MOST_COLUMNS) return null
  const rows: string[][] = []
  for (const { cells } of lines) {
    const row = columns.map(() => '')
    for (const cell of cells) {
      const at = columns.findIndex(column => cell.x0 < column.x1 && cell.x1 > column.x0)
      if (at === -1 || row[at] !== '') return null
      row[at] = cell.text
    }
    rows.push(row)
  }
  const filled = rows.flat().filter(cell => cell !== '').length
  return filled >= 0.6 * rows.length * columns.length ? rows : null
}

/** Ranges that the cells cover together, from the left. */
function columnsOf(lines: readonly Line[]): { x0: number; x1: number }[] {
  const cells: Pick<Segment, 'x0' | 'x1'>[] = lines.flatMap(line => line.cells).sort((a, b) => a.x0 - b.x0)
  const columns: { x0: number; x1: number }[] = []
  for (const { x0, x1 } of cells) {
    const last = columns.at(-1)
    if (last && x0 < last.x1) last.x1 = Math.max(last.x1, x1)
    else columns.push({ x0, x1 })
  }
  return columns
}
