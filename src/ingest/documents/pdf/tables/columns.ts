import { type Line, type Segment, widen } from '../page-text.ts'

/** From the left to the right, in points. */
export interface Range {
  x0: number
  x1: number
}

/** What the columns of a table cover, from the left. */
export type Columns = readonly Range[]

/** The texts of a line by the index of their column. */
export type Placed = ReadonlyMap<number, string>

const MOST_COLUMNS = 20

/** Fewest lines in which the parts of cells count: words of two lines stand below each other by chance. */
const LINES_OF_PARTS = 3

/** Ways to see columns in lines: by the place of a cell in the lines with the most cells, and by what stands below each other; each with whole cells, then with parts of them. */
export function columnsOf(lines: readonly Line[]): Columns[] {
  const cells = lines.map(line => line.cells)
  const ways = [byPlace(cells), byOverlap(cells.flat())]
  if (lines.length >= LINES_OF_PARTS) {
    const parts = cells.map(line => line.flatMap(partsOf))
    ways.push(byPlace(parts), byOverlap(parts.flat()))
  }
  return ways.filter(columns => columns.length >= 2 && columns.length <= MOST_COLUMNS)
}

/** What the cells of the lines with the most cells cover: a line with fewer has empty cells, or cells over several columns. */
export function rangesByPlace(lines: readonly (readonly Range[])[]): Range[] {
  const most = Math.max(...lines.map(line => line.length))
  const full = lines.filter(line => line.length === most)
  return Array.from({ length: most }, (_, at) => ({
    x0: Math.min(...full.map(line => line[at]?.x0 ?? 0)),
    x1: Math.max(...full.map(line => line[at]?.x1 ?? 0)),
  }))
}

/** The same; none when two columns overlap. */
function byPlace(lines: readonly (readonly Segment[])[]): Range[] {
  const columns = rangesByPlace(lines)
  return columns.some(({ x0 }, at) => x0 < (columns[at - 1]?.x1 ?? Number.NEGATIVE_INFINITY)) ? [] : columns
}

/** What cells that stand below each other cover together. A cell over two columns is not counted: narrow ones come first. */
function byOverlap(cells: readonly Segment[]): Range[] {
  const columns: Range[] = []
  for (const cell of [...cells].sort((a, b) => a.x1 - a.x0 - (b.x1 - b.x0))) {
    const [own, other] = columns.filter(column => overlap(cell, column))
    if (own === undefined) columns.push({ x0: cell.x0, x1: cell.x1 })
    else if (other === undefined) widen(own, cell)
  }
  return columns.sort((a, b) => a.x0 - b.x0)
}

/**
 * The texts of a line by columns. A cell over several columns is parted where its parts stand in one column each; else it stands in the
 * first one. Null when a cell is in no column, when two are in one, or when the only cell is over several.
 */
export function placeLine({ cells }: Line, columns: Columns): Placed | null {
  const texts = new Map<number, string>()
  let taken = -1
  for (const cell of cells) {
    const [first, last] = placeOf(cell, columns)
    const parts = last > first ? byColumn(partsOf(cell), columns) : null
    if (first <= taken || (last > first && parts === null && cells.length === 1)) return null
    for (const [column, text] of parts ?? [[first, cell.text] as const]) texts.set(column, text)
    taken = last
  }
  return texts
}

/** The first and the last column that a cell overlaps; -1 without one. */
function placeOf(cell: Range, columns: Columns): [first: number, last: number] {
  const isIn = (column: Range) => overlap(cell, column)
  return [columns.findIndex(isIn), columns.findLastIndex(isIn)]
}

/** What the cells of lines cover in each of the columns that have some. A cell over several columns does not count. */
export function rangesOf(lines: readonly Line[], columns: Columns): Range[] {
  const ranges = new Map<number, Range>()
  for (const cell of lines.flatMap(({ cells }) => cells)) {
    const [first, last] = placeOf(cell, columns)
    const range = ranges.get(first)
    if (first === -1 || first !== last) continue
    if (range === undefined) ranges.set(first, { x0: cell.x0, x1: cell.x1 })
    else widen(range, cell)
  }
  return [...ranges.values()]
}

/** The texts of parts by columns; null when one is over several columns or in none. */
function byColumn(parts: readonly Segment[], columns: Columns): Placed | null {
  const texts = new Map<number, string>()
  for (const part of parts) {
    const [first, last] = placeOf(part, columns)
    if (first === -1 || first !== last) return null
    texts.set(first, `${texts.get(first) ?? ''} ${part.text}`.trim())
  }
  return texts
}

function partsOf(cell: Segment): readonly Segment[] {
  return cell.parts ?? [cell]
}

function overlap(cell: Range, column: Range): boolean {
  return cell.x0 < column.x1 && cell.x1 > column.x0
}
