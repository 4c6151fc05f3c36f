import { groupBy } from '../../../../core/collections.ts'
import { edgesOf, type KnownTable, type Segment, textOf, usualOf } from '../page-text.ts'
import { groupRows, joinRow } from '../rows.ts'
import { type Columns, type Range, rangesByPlace } from './columns.ts'

interface Cell extends Range {
  row: number
  place: number
  isHead: boolean
  text: string
}

/** The segments of a page, with one segment in the place of each table that the tags name. */
export function withTaggedTables(segments: readonly Segment[]): Segment[] {
  const byTable = groupBy(segments, ({ tag }) => tag?.cell?.table ?? null)
  const others = byTable.get(null) ?? []
  const tables = [...byTable].flatMap(([table, parts]) => (table === null ? [] : asOneSegment(parts)))
  return [...others, ...tables]
}

/** A table as one segment; its parts when only one of its rows has text. */
function asOneSegment(parts: Segment[]): Segment[] {
  const cells = cellsOf(parts)
  const table = tableOf(cells)
  const [first] = parts
  if (table === null || first === undefined) return parts
  const { left, right } = edgesOf(parts)
  return [
    {
      text: textOf(cells),
      x0: left,
      x1: right,
      y: Math.min(...parts.map(({ y }) => y)),
      size: usualOf(parts, ({ size }) => size),
      isBold: false,
      isMonospaced: false,
      isRightToLeft: first.isRightToLeft,
      tag: null,
      table,
    },
  ]
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
function tableOf(cells: readonly Cell[]): KnownTable | null {
  const lines = [...groupBy(cells, ({ row }) => row).values()]
  const columns = rangesByPlace(lines)
  if (lines.length < 2 || columns.length < 2) return null
  const rows = lines.map(line => inColumns(line, columns))
  const heads = lines.findIndex(line => line.some(({ isHead }) => !isHead))
  const head = rows.slice(0, Math.max(1, heads))
  return { rows: [mergeRows(head), ...rows.slice(head.length)], hasHead: heads > 0 }
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
