/** What the tags of a PDF say about a piece of text. */
export interface Tag {
  /** Number of the block that holds the text: a paragraph, a heading, an item of a list, a cell. */
  block: number
  /** 1 to 6 inside a heading, else 0. */
  headingLevel: number
  /** Depth of the list whose item holds the text, from 1; 0 outside lists. */
  listDepth: number
  /** Number of the item of a list; null outside lists. */
  item: number | null
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
}

/** A line in reading order. */
export interface Line {
  text: string
  /** Parts of the line with a wide gap between them. */
  cells: Segment[]
  /** Index of the page, from 0. */
  page: number
  x0: number
  x1: number
  y: number
  size: number
  isBold: boolean
  isMonospaced: boolean
  tag: Tag | null
  /** Left and right edge of its column. */
  column: { left: number; right: number }
}

/** An entry of the outline, in the order of the document. */
export interface OutlineEntry {
  title: string
  /** From 1. */
  level: number
  /** Index of the page; null when its target cannot be found. */
  page: number | null
}
