import { groupBy } from '../../../../core/collections.ts'
import { edgesOf, type KnownTable, type Segment, textOf, usualOf } from '../page-text.ts'
import { groupRows, joinRow } from '../rows.ts'
import { type Columns, type Range, rangesByPlace } from './columns.ts'
import { areSameColumns, joinPartedRows } from './page-breaks.ts'

interface Cell extends Range {
  row: number
  place: number
  isHead: boolean
  text: string
}

/** What a page has of a table. */
interface Part {
  page: number
  segments: Segment[]
  rows: Cell[][]
  columns: Range[]
  /** Rows of the head. */
  heads: number
}

/** The segments of the pages, with one segment in the place of each table that the tags name. A table over several pages stands on the first of them. */
export function withTaggedTables(pages: readonly Segment[][]): Segment[][] {
  const tables: Part[][] = []
  let open: Part[] | undefined
  const others = pages.map((segments, page) => {
    const byTable = groupBy(segments, ({ tag }) => tag?.cell?.table ?? null)
    const parts = [...byTable].flatMap(([table, own]) => (table === null ? [] : partOf(own, page)))
    const [top, bottom] = [Math.min(...segments.map(({ y }) => y)), Math.max(...segments.map(({ y }) => y))]
    let last: Part[] | undefined
    for (const part of parts) {
      const rest = open && part.segments.some(({ y }) => y === top) ? restOf(open, part) : null
      if (open && rest) open.push(rest)
      else tables.push([part])
      if (part.segments.some(({ y }) => y === bottom)) last = rest ? open : tables.at(-1)
    }
    open = last
    return byTable.get(null) ?? []
  })
  for (const parts of tables) placeTable(parts, others)
  return others
}

function partOf(segments: Segment[], page: number): Part {
  const rows = [...groupBy(cellsOf(segments), ({ row }) => row).values()]
  const heads = rows.findIndex(row => row.some(({ isHead }) => !isHead))
  return { page, segments, rows, columns: rangesByPlace(rows), heads: heads === -1 ? rows.length : heads }
}

/** A part of a table without the head that it repeats; null when it is of another table. */
function restOf(table: readonly Part[], part: Part): Part | null {
  const [first] = table as [Part]
  const widest = table.reduce((most, other) => (other.columns.length > most.columns.length ? other : most))
  if (!areSameColumns(widest.columns, part.columns)) return null
  const textsOf = (rows: readonly Cell[][]) => rows.map(row => textOf(row).replaceAll('\n', ' ')).join('\n')
  const repeated = Math.max(1, part.heads)
  if (textsOf(part.rows.slice(0, repeated)) === textsOf(first.rows.slice(0, repeated)))
    return { ...part, rows: part.rows.slice(repeated), heads: 0 }
  return part.heads > 0 ? null : part
}

/** Puts a table on the page where it begins; what stands on pages as before when it is none. */
function placeTable(parts: readonly Part[], pages: Segment[][]): void {
  const table = parts.some(({ rows }) => rows.length > 1) ? tableOf(parts) : null
  const [first] = parts as [Part]
  if (table === null) for (const { page, segments } of parts) pages[page]?.push(...segments)
  else pages[first.page]?.push(asOneSegment(first.segments, table))
}

function asOneSegment(segments: readonly Segment[], table: KnownTable): Segment {
  const { left, right } = edgesOf(segments)
  return {
    text: textOf(table.rows.flat().map(text => ({ text }))),
    x0: left,
    x1: right,
    y: Math.min(...segments.map(({ y }) => y)),
    size: usualOf(segments, ({ size }) => size),
    isBold: false,
    isMonospaced: false,
    isRightToLeft: segments[0]?.isRightToLeft === true,
    tag: null,
    table,
  }
}

/** The cells in the order of the tags. */
function cellsOf(parts: readonly Segment[]): Cell[] {
  const byCell = groupBy(parts, ({ tag }) => `${tag?.cell?.row} ${tag?.cell?.place}`)
  const cells = [...byCell.values()].flatMap(own => {
    const cell = own[0]?.tag?.cell
    if (!cell) return []
    const { left, right } = edgesOf(own)
    const lines = groupRows(own).map(row => joinRow(row, 0, { left, right }).text)
    return [{ ...cell, text: lines.join('\n'), x0: left, x1: right }]
  })
  return cells.sort((a, b) => a.row - b.row || a.place - b.place)
}

/** Null without two rows and two columns. */
function tableOf(parts: readonly Part[]): KnownTable | null {
  const lines = parts.flatMap(({ rows }) => rows)
  const columns = rangesByPlace(lines)
  if (lines.length < 2 || columns.length < 2) return null
  const rows = lines.map(line => inColumns(line, columns))
  const pages = parts.flatMap(part => part.rows.map(() => part.page))
  const heads = parts[0]?.heads ?? 0
  const head = rows.slice(0, Math.max(1, heads))
  return {
    ...joinPartedRows({
      rows: [mergeRows(head), ...rows.slice(head.length)],
      pages: [pages[0] as number, ...pages.slice(head.length)],
    }),
    hasHead: heads > 0,
  }
}

/** The texts of a row by columns. A cell of a shorter row stands in the column that it is nearest to, behind the cell before it. */
function inColumns(line: readonly Cell[], columns: Columns): string[] {
  const texts = columns.map(() => '')
  let from = 0
  for (const [at, cell] of line.entries()) {
    const last = columns.length - (line.length - at)
    const column = line.length === columns.length ? at : nearest(cell, columns, from, last)
    texts[column] = cell.text
    from = column + 1
  }
  return texts
}

function nearest({ x0 }: Cell, columns: Columns, from: number, last: number): number {
  let best = from
  for (let at = from; at <= last; at += 1) if (distance(x0, columns[at]) < distance(x0, columns[best])) best = at
  return best
}

/** How far the left edge of a cell is from a column. */
function distance(x: number, column: Range | undefined): number {
  return column === undefined ? Number.POSITIVE_INFINITY : Math.max(column.x0 - x, x - column.x1, 0)
}

/** Several rows of a head as one, as in tables of HTML. */
function mergeRows(rows: readonly string[][]): string[] {
  return (rows[0] ?? []).map((_, column) =>
    rows
      .map(row => row[column] ?? '')
      .filter(Boolean)
      .join(' '),
  )
}
