import { countOf, firstPlace } from '../../../core/collections.ts'
import { edgesOf, type Line, lengthOf, type Segment } from './page-text.ts'
import { groupRows, joinRow } from './rows.ts'

/** Width of a gutter between columns, at least, as a share of the font size. */
const GUTTER = 0.6
/** Lines on each side of a gutter, at least. */
const FEWEST_LINES = 3
/** Columns inside columns are looked for to this depth: four columns side by side. */
const MOST_DEPTH = 2
/** Positions of a gutter that are tried on a page. */
const MOST_CANDIDATES = 60

/**
 * Orders the segments of a page for reading: where a gutter parts two blocks of prose, the left one comes first; lines across the
 * gutter part what is above from what is below.
 * @param gutters positions that were found on other pages. Beside one of them a column may hold a single line.
 * @returns the lines, and the positions of the gutters found
 */
export function readingOrder(
  segments: Segment[],
  page: number,
  gutters: readonly number[] = [],
): { lines: Line[]; gutters: number[] } {
  const found: number[] = []
  const order = (region: Segment[], depth: number): Line[] => {
    const gutter = depth > 0 ? findGutter(region, gutters) : null
    if (gutter === null) return linesOf(region, page)
    found.push(gutter.x)
    const lines: Line[] = []
    let whole: Segment[] = []
    for (const zone of gutter.zones) {
      if (zone.isColumns) {
        lines.push(...linesOf(whole, page), ...order(zone.left, depth - 1), ...order(zone.right, depth - 1))
        whole = []
      } else whole.push(...zone.left, ...zone.right)
      whole.push(...zone.below)
    }
    return [...lines, ...linesOf(whole, page)]
  }
  return { lines: order(segments, MOST_DEPTH), gutters: found }
}

function linesOf(region: Segment[], page: number): Line[] {
  if (region.length === 0) return []
  const column = edgesOf(region)
  return groupRows(region).map(row => joinRow(row, page, column))
}

/** What stands between two lines across the gutter. */
interface Zone {
  left: Segment[]
  right: Segment[]
  isColumns: boolean
  /** The line across the gutter that follows. */
  below: Segment[]
}

interface Gutter {
  /** Its right edge. */
  x: number
  zones: Zone[]
}

function findGutter(segments: Segment[], known: readonly number[]): Gutter | null {
  let best: { gutter: Gutter; score: number } | null = null
  for (const x of candidates(segments)) {
    const isKnown = known.some(other => Math.abs(other - x) < 3)
    const gutter = cutAt(x, segments, isKnown)
    const score = gutter.zones
      .filter(zone => zone.isColumns)
      .reduce((sum, { left, right }) => sum + (isKnown ? lengthOf(left) : Math.min(lengthOf(left), lengthOf(right))), 0)
    if (score > (best?.score ?? 0)) best = { gutter, score }
  }
  return best?.gutter ?? null
}

/** Left edges of segments, those that most segments share first. */
function candidates(segments: Segment[]): number[] {
  const counts = countOf(segments.map(({ x0 }) => Math.round(x0)))
  const left = Math.min(...counts.keys())
  const shared = [...counts].filter(([x]) => x > left + 20).sort((a, b) => b[1] - a[1] || a[0] - b[0])
  return shared.slice(0, MOST_CANDIDATES).map(([x]) => x)
}

function cutAt(x: number, segments: Segment[], isKnown: boolean): Gutter {
  const across: Segment[] = []
  const beside: Segment[] = []
  for (const segment of segments) {
    const isAcross = segment.x0 < x - 1 && segment.x1 > x - GUTTER * segment.size + 0.5
    if (isAcross) across.push(segment)
    else beside.push(segment)
  }
  across.sort((a, b) => a.y - b.y)
  const bounds = across.map(({ y }) => y)
  const zones: Zone[] = [...across, null].map(segment => ({
    left: [],
    right: [],
    isColumns: false,
    below: segment === null ? [] : [segment],
  }))
  for (const segment of beside) {
    // What stands on the baseline of a line across the gutter is part of that line.
    const highest = segment.y - 0.35 * segment.size
    const at = firstPlace(bounds.length, place => (bounds[place] as number) >= highest)
    const bound = bounds[at]
    const zone = zones[at] as Zone
    if (bound !== undefined && Math.abs(bound - segment.y) <= 0.35 * segment.size) zone.below.push(segment)
    else if (segment.x0 < x - 1) zone.left.push(segment)
    else zone.right.push(segment)
  }
  for (const zone of zones) moveHeading(zone)
  for (const zone of zones)
    zone.isColumns = isProse(zone.left) && (isProse(zone.right) || (isKnown && zone.right.length > 0))
  return { x, zones }
}

/** A heading below both columns, in larger letters at the left, belongs to the full-width line that follows. */
function moveHeading(zone: Zone): void {
  const lowest = Math.max(...zone.right.map(({ y }) => y))
  const last = zone.left.reduce<Segment | null>((low, segment) => (low && low.y >= segment.y ? low : segment), null)
  if (last === null || zone.below.length === 0 || last.y <= lowest) return
  const others = zone.left.filter(segment => segment !== last)
  if (others.length === 0 || last.size <= 1.1 * Math.min(...others.map(({ size }) => size))) return
  zone.left = others
  zone.below.push(last)
}

/** Whether segments read like lines of text, not like cells of a table: several words in each part of a line, and lines of about equal length. */
function isProse(side: Segment[]): boolean {
  if (side.length < FEWEST_LINES) return false
  const rows = groupRows(side)
  if (rows.length < FEWEST_LINES) return false
  const width = widthOf(side)
  const prose = rows.filter(row => {
    const { cells } = joinRow(row, 0, edgesOf(row))
    return cells.every(({ text }) => text.length >= 15 && text.split(' ').length >= 3) && widthOf(row) > 0.55 * width
  })
  return prose.length >= 0.5 * rows.length
}

function widthOf(segments: Segment[]): number {
  const { left, right } = edgesOf(segments)
  return right - left
}
