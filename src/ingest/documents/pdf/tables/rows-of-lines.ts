import type { Line, PagedRows } from '../page-text.ts'
import type { Placed } from './columns.ts'

/** Lines that are further apart than this share of the least distance of two lines of a cell are of two rows. */
const ROW_DISTANCE = 1.15
/** Share of the rows that may have two lines with all of their cells: else each line is a row, and some rows stand apart. */
const DOUBLE_ROWS = 0.25
/** A name above a group of rows stands at most this share of their least distance from the rows beside it. */
const GROUP_DISTANCE = 1.7

/** A row of a table by lines. */
interface Row {
  y: number
  page: number
  lines: Placed[]
}

/** The rows of lines whose cells are placed in columns; null when they are no rows of one table. The first one on a next page may be the rest of a row. */
export function rowsOf(lines: readonly Line[], placed: readonly Placed[], columns: number): PagedRows | null {
  const rows = byDistance(lines, placed) ?? byLines(lines, placed)
  if (rows.length < 2) return null
  const texts = rows.map(row => textsOf(row, columns))
  const distances = rows.slice(1).map((row, at) => distanceOf(rows[at], row))
  const most = GROUP_DISTANCE * Math.min(...distances)
  const isRow = (row: readonly string[], at: number): boolean => {
    if (row.filter(Boolean).length > 1 || (at > 0 && rows[at]?.page !== rows[at - 1]?.page)) return true
    const isInside = at > 0 && at < rows.length - 1
    return isInside && row[0] !== '' && distances.slice(at - 1, at + 1).every(distance => distance <= most)
  }
  return texts.every(isRow) ? { rows: texts, pages: rows.map(({ page }) => page) } : null
}

/** How far a row or line is below the one before; infinite on the next page. */
function distanceOf(before: Pick<Line, 'y' | 'page'> | undefined, { y, page }: Pick<Line, 'y' | 'page'>): number {
  return before?.page === page ? y - before.y : Number.POSITIVE_INFINITY
}

function textsOf({ lines }: Row, columns: number): string[] {
  return Array.from({ length: columns }, (_, column) => lines.flatMap(line => line.get(column) ?? []).join('\n'))
}

/** The lines by rows, where the lines of a row stand closer than rows do; null when nothing tells rows from lines. */
function byDistance(lines: readonly Line[], placed: readonly Placed[]): Row[] | null {
  const least = leastDistance(lines, placed)
  const rows: Row[] = []
  for (const [at, texts] of placed.entries()) {
    const line = lines[at] as Line
    if (distanceOf(lines[at - 1], line) > ROW_DISTANCE * least)
      rows.push({ y: line.y, page: line.page, lines: [texts] })
    else rows.at(-1)?.lines.push(texts)
  }
  return rows.length < 2 || rows.filter(isDouble).length > DOUBLE_ROWS * rows.length ? null : rows
}

function isDouble({ lines }: Row): boolean {
  const columns = new Set(lines.flatMap(line => [...line.keys()])).size
  return columns > 1 && lines.filter(({ size }) => size === columns).length > 1
}

/** Each line as a row. What stands beside the first column alone belongs to the row above, or to the nearer one below that has nothing in its column. */
function byLines(lines: readonly Line[], placed: readonly Placed[]): Row[] {
  const rows: Row[] = []
  let upper: Placed[] = []
  for (const [at, texts] of placed.entries()) {
    const last = rows.at(-1)
    const { y, page, isBold } = lines[at] as Line
    if (isBeside(texts) && isUpper(lines, placed, at)) upper.push(texts)
    else if (last?.page === page && isBeside(texts) && isBold === lines[at - 1]?.isBold) last.lines.push(texts)
    else {
      rows.push({ y, page, lines: [...upper, texts] })
      upper = []
    }
  }
  return rows
}

function isBeside(texts: Placed): boolean {
  return texts.size === 1 && !texts.has(0)
}

/** Whether a line beside the first column is the upper line of a cell in the middle of the next row. */
function isUpper(lines: readonly Line[], placed: readonly Placed[], at: number): boolean {
  const next = placed[at + 1]
  const distance = (index: number) => Math.abs(distanceOf(lines[index], lines[at] as Line))
  return (
    next?.has(0) === true &&
    [...(placed[at] as Placed).keys()].every(column => !next.has(column)) &&
    distance(at + 1) < distance(at - 1)
  )
}

/** The least distance of two lines with text in the same column. */
function leastDistance(lines: readonly Line[], placed: readonly Placed[]): number {
  const last = new Map<number, Line>()
  let least = Number.POSITIVE_INFINITY
  for (const [at, texts] of placed.entries()) {
    const line = lines[at] as Line
    for (const column of texts.keys()) {
      least = Math.min(least, distanceOf(last.get(column), line))
      last.set(column, line)
    }
  }
  return least
}
