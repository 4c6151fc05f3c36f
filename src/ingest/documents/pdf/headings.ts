import { groupBy } from '../../../core/collections.ts'
import { type Heading, headingsByFonts, LABEL, MOST_LEVEL, titleOf } from './font-headings.ts'
import type { OutlineEntry } from './outline.ts'
import type { Line } from './page-text.ts'

export interface Headings {
  /** By the index of the first line. */
  found: ReadonlyMap<number, Heading>
  source: 'outline' | 'tags' | 'fonts' | 'unknown'
}

/** Share of the entries of an outline that must be in the text. */
const MATCHED = 0.5
/** A title has at most this many lines. */
const MOST_LINES = 3

/** Finds the headings by the outline, else by the tags, else by size and weight of the fonts. */
export function findHeadings(lines: readonly Line[], outline: readonly OutlineEntry[]): Headings {
  const byOutline = fromOutline(lines, outline)
  if (byOutline) return { found: byOutline, source: 'outline' }
  const byTags = fromTags(lines)
  if (byTags.size > 0) return { found: belowTitle(lines, byTags), source: 'tags' }
  const byFonts = headingsByFonts(lines)
  return { found: byFonts, source: byFonts.size > 0 ? 'fonts' : 'unknown' }
}

/** Letters and digits only, without the number of a section. */
function normal(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase()
  return plain
    .replace(/^\W*(?:(?:chapter|section|appendix)\s+)?(?:[a-z]|\d+)(?:\.\d+)*[.):]?\s+/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

function fromOutline(lines: readonly Line[], outline: readonly OutlineEntry[]): Map<number, Heading> | null {
  const byPage = groupBy([...lines.keys()], index => lines[index]?.page ?? 0)
  const entries = outline.filter(({ page, title }) => page !== null && normal(title) !== '')
  const found = new Map<number, Heading>()
  for (const { page, title, level } of entries) {
    const places = (byPage.get(page ?? 0) ?? []).flatMap(index => {
      const count = linesOfTitle(lines, index, normal(title))
      const label = linesOfLabel(lines, index)
      const isFree = count > 0 && !found.has(index - label)
      return isFree ? [{ index: index - label, count: count + label, size: lines[index]?.size ?? 0 }] : []
    })
    const [best] = places.sort((a, b) => b.size - a.size || a.index - b.index)
    if (best) found.set(best.index, { level: Math.min(level, MOST_LEVEL), lines: best.count })
  }
  if (found.size === 0 || found.size < MATCHED * entries.length) return null
  return belowTitle(lines, found)
}

/** 1 when the first line of a page is the label of the title in its second line, such as `Chapter 1`, which an outline leaves out; else 0. */
function linesOfLabel(lines: readonly Line[], index: number): number {
  const [before, label, title] = [lines[index - 2], lines[index - 1], lines[index]]
  const isFirst = label !== undefined && label.page === title?.page && label.page !== before?.page
  return isFirst && LABEL.test(label.text) ? 1 : 0
}

/** How many lines from `index` make up exactly this title; 0 when they do not. */
function linesOfTitle(lines: readonly Line[], index: number, title: string): number {
  let text = ''
  for (let count = 1; count <= MOST_LINES; count += 1) {
    const line = lines[index + count - 1]
    if (line === undefined) return 0
    text += `${text === '' ? '' : ' '}${line.text}`
    const key = normal(text)
    if (key === title) return count
    if (key.length > title.length || !title.startsWith(key.slice(0, 8))) return 0
  }
  return 0
}

/** Puts the title above the headings of an outline or of tags when it stands before them on the first page. */
function belowTitle(lines: readonly Line[], found: Map<number, Heading>): Map<number, Heading> {
  const first = Math.min(...found.keys())
  const title = titleOf(lines)
  if (title === null || title.index + title.lines > first) return found
  const lowered = [...found].map(([index, heading]): [number, Heading] => [
    index,
    { ...heading, level: Math.min(heading.level + 1, MOST_LEVEL) },
  ])
  return new Map([[title.index, { level: 1, lines: title.lines }], ...lowered])
}

function fromTags(lines: readonly Line[]): Map<number, Heading> {
  const found = new Map<number, Heading>()
  for (let index = 0; index < lines.length; ) {
    const tag = lines[index]?.tag
    let count = 1
    if (tag && tag.headingLevel > 0) {
      while (lines[index + count]?.tag?.block === tag.block) count += 1
      found.set(index, { level: tag.headingLevel, lines: count })
    }
    index += count
  }
  return found
}
