import { edgesOf, isMostly, type Line, type Segment, textOf, widen } from './page-text.ts'

/** A gap above this share of the font size parts cells; a line of justified text has narrower ones. */
const CELL_GAP = 0.9
/** Baselines that differ by less than this share of the font size are one row. */
const SAME_ROW = 0.4

/** Groups segments by their baselines, from the top. The segments of a row are ordered for reading. */
export function groupRows(segments: readonly Segment[]): Segment[][] {
  const rows: Segment[][] = []
  let y = Number.NEGATIVE_INFINITY
  let size = 0
  for (const segment of [...segments].sort((a, b) => a.y - b.y)) {
    if (segment.table || segment.y - y > SAME_ROW * Math.min(size, segment.size)) {
      rows.push([segment])
      // A table is a row of its own.
      y = segment.table ? Number.NEGATIVE_INFINITY : segment.y
      size = segment.size
    } else {
      rows.at(-1)?.push(segment)
      size = Math.max(size, segment.size)
    }
  }
  for (const row of rows)
    row.sort(isMostly(row, segment => segment.isRightToLeft) ? (a, b) => b.x1 - a.x1 : (a, b) => a.x0 - b.x0)
  return rows
}

/** Joins the segments of a row to a line. */
export function joinRow(row: Segment[], page: number, column: Line['column']): Line {
  const cells: Segment[] = []
  for (const segment of row) {
    const last = cells.at(-1)
    if (last === undefined) cells.push({ ...segment, parts: [segment] })
    else {
      const size = Math.max(last.size, segment.size)
      const gap = Math.max(segment.x0 - last.x1, last.x0 - segment.x1)
      const isOtherBlock = last.tag !== null && segment.tag !== null && last.tag.block !== segment.tag.block
      if (gap > CELL_GAP * size || (isOtherBlock && last.tag?.item === null))
        cells.push({ ...segment, parts: [segment] })
      else {
        last.parts?.push(segment)
        last.text += `${/\s$/.test(last.text) || gap < 0.1 * size ? '' : ' '}${segment.text}`
        widen(last, segment)
        last.isBold &&= segment.isBold
        last.isMonospaced &&= segment.isMonospaced
        last.size = size
        last.tag ??= segment.tag
      }
    }
  }
  for (const cell of cells) cell.text = cell.text.trim()
  const { left, right } = edgesOf(cells)
  const longest = cells.reduce((best, cell) => (cell.text.length > best.text.length ? cell : best))
  return {
    text: textOf(cells),
    cells,
    page,
    x0: left,
    x1: right,
    y: longest.y,
    size: longest.size,
    isBold: cells.every(cell => cell.isBold),
    isMonospaced: cells.every(cell => cell.isMonospaced),
    tag: (cells.find(cell => (cell.tag?.item ?? null) !== null) ?? cells[0])?.tag ?? null,
    column,
    ...(row[0]?.table ? { table: row[0].table } : {}),
  }
}
