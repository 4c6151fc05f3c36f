import { isMostly, type Line, lengthOf, textOf, usualOf } from './page-text.ts'

export interface Heading {
  /** 1 to 6. */
  level: number
  /** The lines of the heading: the first is that of its key in the map, the others follow it. */
  lines: number
}

export const MOST_LEVEL = 6
/** Larger than the body by this factor, at least. */
const LARGER = 1.12
/** A heading has at most this many lines and characters. */
const MOST_LINES = 3
const MOST_LENGTH = 200
/** Lines of a style that makes up more of the text than this are not headings. */
const MOST_SHARE = 0.3
/** Characters above a title, at most: a running header, a number of a report. */
const MOST_ABOVE_TITLE = 200
/** A line with more characters than this is prose, which a title page does not have. */
const LONGEST_ON_TITLE_PAGE = 70

interface Style {
  size: number
  isBold: boolean
}

interface Candidate extends Style {
  /** Index of its first line. */
  index: number
  lines: number
  text: string
  /** Parts of the number in front, as 2 for `1.1 Float`; 1 without a number. */
  depth: number
  isNumbered: boolean
  /** Whether it begins at the right of its column's left edge. */
  isInset: boolean
}

/** The headings by size and weight of the fonts; headings of one style by their numbers. */
export function headingsByFonts(lines: readonly Line[]): Map<number, Heading> {
  const candidates = rareStyles(lines, findCandidates(lines))
  const title = titleAmong(lines, candidates)
  const others = candidates.filter(candidate => candidate !== title)
  const ranks = rankStyles(others)
  const levels = levelsOf(ranks, others)
  const found = new Map<number, Heading>()
  if (title) found.set(title.index, { level: 1, lines: title.lines })
  for (const candidate of others) {
    const level = (levels[rankOf(ranks, candidate)] as number) + (title ? 1 : 0)
    // Right below the title stands a heading of the next level, or a subtitle, which is none.
    if (title && level > 2 && isNext(title, candidate)) continue
    found.set(candidate.index, { level: Math.min(level, MOST_LEVEL), lines: candidate.lines })
  }
  return new Map([...found].sort(([a], [b]) => a - b))
}

/**
 * The level of each rank, from 1. Where numbers of several parts agree with the ranks, they tell the levels, so that a style between
 * two of them does not move the lower one down.
 */
function levelsOf(ranks: readonly Rank[], candidates: readonly Candidate[]): number[] {
  const numbered = ranks.map((_, rank) => candidates.some(one => one.isNumbered && rankOf(ranks, one) === rank))
  const depths = ranks.filter((_, rank) => numbered[rank]).map(({ depth }) => depth)
  if (depths.length < 2 || depths.some((depth, at) => depth !== at + 1)) return ranks.map((_, rank) => rank + 1)
  const top = numbered.indexOf(true)
  let level = 0
  return ranks.map(({ depth }, rank) => {
    level = numbered[rank] ? top + depth : level + 1
    return level
  })
}

/** The title of a document at its start; null when nothing tells it from the headings. */
export function titleOf(lines: readonly Line[]): { index: number; lines: number } | null {
  return titleAmong(lines, rareStyles(lines, findCandidates(lines)))
}

/** Size of most characters, rounded to half points. */
function bodySize(lines: readonly Line[]): number {
  return usualOf(lines, ({ size }) => roundSize(size))
}

function roundSize(size: number): number {
  return Math.round(size * 2) / 2
}

/** Lines that look like headings, in their order. */
function findCandidates(lines: readonly Line[]): Candidate[] {
  const body = bodySize(lines)
  const ofBody = lines.filter(({ size }) => roundSize(size) === body)
  const bodyIsBold = isMostly(ofBody, ({ isBold }) => isBold)
  const stands = (line: Line): boolean =>
    line.table === undefined && (line.size >= LARGER * body || (line.isBold && !bodyIsBold && line.size >= 0.95 * body))
  const candidates: Candidate[] = []
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as Line
    let count = 1
    if (stands(line)) {
      while (isSameHeading(lines[index + count - 1], lines[index + count])) count += 1
      const group = lines.slice(index, index + count)
      if (isTitleLike(group) && isApart(lines[index - 1], group, lines[index + count], body))
        candidates.push(candidateOf(group, index))
    }
    index += count
  }
  return withoutBylines(candidates.reduce<Candidate[]>(joinLabel, []))
}

function candidateOf(group: readonly Line[], index: number): Candidate {
  const [first] = group as [Line]
  const text = textOf(group)
  const number = /^\d{1,2}(?:\.\d{1,2})*(?=[.:]?\s)/.exec(text)?.[0] ?? ''
  return {
    index,
    lines: group.length,
    text,
    size: roundSize(first.size),
    isBold: first.isBold,
    depth: Math.max(1, number.split('.').length),
    isNumbered: number !== '',
    isInset: first.x0 > first.column.left + 2 * first.size,
  }
}

/** A word with a number, such as `Chapter 1`. */
export const LABEL = /^\p{Lu}\p{L}+ (?:\d{1,3}|[IVXLC]{1,6}|[A-Z])[.:]?$/u

/** Such a label and the name in the same or larger letters after it are one heading. */
function joinLabel(joined: Candidate[], next: Candidate): Candidate[] {
  const last = joined.at(-1)
  const isLabel = last !== undefined && LABEL.test(last.text)
  if (last && isLabel && last.index + last.lines === next.index && next.size >= last.size - 0.5)
    joined[joined.length - 1] = {
      ...next,
      isNumbered: true,
      index: last.index,
      lines: last.lines + next.lines,
      text: `${last.text} ${next.text}`,
    }
  else joined.push(next)
  return joined
}

/** Leaves out the lines right below the title that look like nothing after them: authors and date. */
function withoutBylines(candidates: Candidate[]): Candidate[] {
  let end = 1
  while (end < candidates.length && isNext(candidates[end - 1] as Candidate, candidates[end] as Candidate)) end += 1
  const later = candidates.slice(end)
  const bylines = new Set(
    candidates.slice(1, end).filter(byline => later.length > 0 && !later.some(other => isSameStyle(other, byline))),
  )
  return candidates.filter(candidate => !bylines.has(candidate))
}

function isNext(before: Candidate, after: Candidate): boolean {
  return before.index + before.lines === after.index
}

/** Leaves out styles that make up too much of the text. */
function rareStyles(lines: readonly Line[], candidates: Candidate[]): Candidate[] {
  const total = lengthOf(lines)
  const styles = rankStyles(candidates)
  const lengths = new Map<number, number>()
  for (const candidate of candidates) {
    const rank = rankOf(styles, candidate)
    lengths.set(rank, (lengths.get(rank) ?? 0) + candidate.text.length)
  }
  return candidates.filter(candidate => (lengths.get(rankOf(styles, candidate)) ?? 0) <= MOST_SHARE * total)
}

/**
 * The first candidate, when it stands at the start of the first page and either no other is as large in the same way, or the page holds
 * nothing but short lines.
 */
function titleAmong(lines: readonly Line[], candidates: readonly Candidate[]): Candidate | null {
  const [first, ...others] = candidates
  if (first === undefined || lines[first.index]?.page !== 0) return null
  if (lengthOf(lines.slice(0, first.index)) > MOST_ABOVE_TITLE) return null
  const isLargest = others.every(
    other =>
      first.size > other.size + 0.5 ||
      (first.size >= other.size && (first.isBold !== other.isBold || first.isInset !== other.isInset)),
  )
  return isLargest || isTitlePage(lines, others) ? first : null
}

function isTitlePage(lines: readonly Line[], others: readonly Candidate[]): boolean {
  const page = lines.filter(line => line.page === 0)
  return (
    page.length < lines.length &&
    page.every(({ text }) => text.length <= LONGEST_ON_TITLE_PAGE) &&
    others.every(({ index }) => lines[index]?.page !== 0)
  )
}

function isSameHeading(line: Line | undefined, next: Line | undefined): boolean {
  if (line === undefined || next === undefined || line.page !== next.page) return false
  const isSameStyle = Math.abs(line.size - next.size) < 0.3 && line.isBold === next.isBold
  return isSameStyle && next.y > line.y && next.y - line.y < 1.4 * line.size
}

function isTitleLike(group: readonly Line[]): boolean {
  const text = textOf(group)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return (
    group.length <= MOST_LINES &&
    text.length <= MOST_LENGTH &&
    letters >= 2 &&
    letters >= 0.4 * text.replace(/\s/g, '').length &&
    !/[.,;]$/.test(text.replace(/\betc\.$/, '')) &&
    !/^[•◦▪‣●○■□–—*·∙-]\s/.test(text) &&
    group.every(line => line.cells.length <= 2)
  )
}

/** A heading in letters of the body stands apart: it does not fill its line, and there is space above or below it. */
function isApart(before: Line | undefined, group: readonly Line[], after: Line | undefined, body: number): boolean {
  const [first, last] = [group[0], group.at(-1)] as [Line, Line]
  if (first.size >= LARGER * body) return true
  if (last.cells.length > 1 && !/^[\dA-Z.]{1,8}$/.test(last.cells[0]?.text ?? '')) return false
  const isAbove =
    before === undefined || before.page !== first.page || first.y - before.y > 1.3 * first.size || before.y > first.y
  const isBelow =
    after === undefined || after.page !== last.page || after.y - last.y > 1.05 * last.size || after.y < last.y
  return isAbove && isBelow && after !== undefined
}

function rankStyles(styles: readonly Candidate[]): Rank[] {
  const distinct = new Map(styles.map(style => [`${style.size} ${style.isBold} ${style.depth}`, style]))
  const ordered = [...distinct.values()].sort(
    (a, b) => b.size - a.size || Number(b.isBold) - Number(a.isBold) || a.depth - b.depth,
  )
  return ordered.filter((style, index) => index === 0 || !isSameRank(ordered[index - 1] as Candidate, style))
}

function rankOf(ranks: readonly Rank[], style: Rank): number {
  const at = ranks.findIndex(other => isSameRank(other, style) || other.size < style.size)
  return at === -1 ? ranks.length - 1 : at
}

type Rank = Style & Pick<Candidate, 'depth'>

function isSameRank(a: Rank, b: Rank): boolean {
  return isSameStyle(a, b) && a.depth === b.depth
}

/** Sizes that differ by half a point are one style. */
function isSameStyle(a: Style, b: Style): boolean {
  return Math.abs(a.size - b.size) <= 0.5 && a.isBold === b.isBold
}
