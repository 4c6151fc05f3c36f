import { toBlocks } from '../../../../src/ingest/documents/pdf/blocks.ts'
import type { Line, Segment, Tag } from '../../../../src/ingest/documents/pdf/page-text.ts'
import { groupRows, joinRow } from '../../../../src/ingest/documents/pdf/rows.ts'
import { toMarkdown } from '../../../../src/ingest/documents/pdf/to-markdown.ts'

const SIZE = 10
export const LETTER = 5
export const LEADING = 12

export function segment(text: string, x0: number, y: number, tag: Tag | null = null): Segment {
  const [isBold, isMonospaced, isRightToLeft] = [false, false, false]
  return { text, x0, x1: x0 + LETTER * text.length, y, size: SIZE, isBold, isMonospaced, isRightToLeft, tag }
}

export function linesOf(segments: Segment[], page = 0): Line[] {
  return groupRows(segments).map(row => joinRow(row, page, { left: 50, right: 550 }))
}

export type DrawnLine = [y: number, ...cells: [x: number, text: string][]]

/** Lines of a page from texts with their left edges. */
export function page(...lines: DrawnLine[]): Line[] {
  return pageAt(0, ...lines)
}

/** The same on the page with this index. */
export function pageAt(index: number, ...lines: DrawnLine[]): Line[] {
  return linesOf(
    lines.flatMap(([y, ...cells]) => cells.map(([x, text]) => segment(text, x, y))),
    index,
  )
}

/** Text in a cell that tags name, in the table with this number. */
export function tagged(
  text: string,
  x: number,
  y: number,
  [row, place, isHead = false]: [row: number, place: number, isHead?: boolean],
  table = 1,
): Segment {
  const cell = { table, row, place, isHead }
  return segment(text, x, y, { block: row * 10 + place, headingLevel: 0, item: null, cell })
}

/** The Markdown of two lines of a paragraph, each in a column that ends with it. */
export function paragraphOf(first: string, second: string): string {
  const lines = page([100, [50, first]], [112, [50, second]]).map(line => ({
    ...line,
    column: { left: 50, right: line.x1 },
  }))
  return toMarkdown(toBlocks(lines, { found: new Map(), source: 'unknown' }), 1).text.trim()
}
