/** What the tags of a PDF say about a piece of text. */
export interface Tag {
  /** Number of the block that holds the text: a paragraph, a heading, an item of a list, a cell. */
  block: number
  /** 1 to 6 inside a heading, else 0. */
  headingLevel: number
  /** Number of the item of a list; null outside lists. */
  item: number | null
  /** Null outside tables. */
  cell: TableCell | null
}

/** A cell of a table that the tags of a PDF name. */
export interface TableCell {
  /** Number of the table on its page, from 1. */
  table: number
  /** Number of the row in the table, from 0. */
  row: number
  /** Place among the cells of the row that have text, from 0. */
  place: number
  /** Whether the row has nothing but cells of a head. */
  isHead: boolean
}

/** Rows of a table that may go on over pages. */
export interface PagedRows {
  /** Each with a text for every column; the lines of a cell have line breaks between them. */
  rows: string[][]
  /** Index of the page on which each row begins, from 0. */
  pages: number[]
}

/** A table that is known as such. */
export interface KnownTable extends PagedRows {
  /** Whether the first row is a head. */
  hasHead: boolean
}

/** Text on one baseline without a wide gap. Lengths are in points, from the top left of the page, with the text upright. */
export interface Segment {
  text: string
  x0: number
  x1: number
  /** The baseline. */
  y: number
  size: number
  isBold: boolean
  isMonospaced: boolean
  isRightToLeft: boolean
  tag: Tag | null
  /** A table in the place of its text. */
  table?: KnownTable
  /** What a cell was joined from. */
  parts?: Segment[]
}

/** A line in reading order. */
export interface Line extends Omit<Segment, 'isRightToLeft'> {
  /** Parts of the line with a wide gap between them. */
  cells: Segment[]
  /** Index of the page, from 0. */
  page: number
  /** Left and right edge of its column. */
  column: { left: number; right: number }
}

/** The text of segments or lines, with a space between two of them. */
export function textOf(parts: readonly Pick<Segment, 'text'>[]): string {
  return parts.map(({ text }) => text).join(' ')
}

/** Characters of segments or lines. */
export function lengthOf(parts: readonly Pick<Segment, 'text'>[]): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0)
}

/** The left and the right edge of what segments cover together. */
export function edgesOf(segments: readonly Segment[]): { left: number; right: number } {
  return { left: Math.min(...segments.map(({ x0 }) => x0)), right: Math.max(...segments.map(({ x1 }) => x1)) }
}

/** Extends a range to the left and to the right, so that it covers another one. */
export function widen(range: { x0: number; x1: number }, by: { x0: number; x1: number }): void {
  range.x0 = Math.min(range.x0, by.x0)
  range.x1 = Math.max(range.x1, by.x1)
}

/** Whether something holds for more than half of the characters. */
export function isMostly<Part extends Pick<Segment, 'text'>>(
  parts: readonly Part[],
  holds: (part: Part) => boolean,
): boolean {
  return parts.reduce((sum, part) => sum + (holds(part) ? 1 : -1) * part.text.length, 0) > 0
}

/** The value of most characters; 0 without any. */
export function usualOf<Part extends Pick<Segment, 'text'>>(
  parts: readonly Part[],
  measure: (part: Part) => number,
): number {
  const weights = new Map<number, number>()
  for (const part of parts) weights.set(measure(part), (weights.get(measure(part)) ?? 0) + part.text.length)
  return [...weights].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0]
}
