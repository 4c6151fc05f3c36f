import { readSections } from '../chunking/sections.ts'

/** Files with these names tell what they are about in their first heading only. */
const IS_GENERAL_NAME = /^(?:readme|index$)/i

/** A label, a comment or a field of reStructuredText, or the rest of one in the next line. */
const MARKUP_LINE = /^(?:\.\.(?:[ \t]|$)|:[^:\s][^:]*:(?:\s|$)|[ \t]|$)/

/**
 * The heading of level 1 or 2 that a text begins with when all others are below it; null without one. Of several headings of level 1 the first is a chapter or a version like the
 * others, unless the file is a README or an index. One of level 2 has others below it: pages that commands write about themselves begin in this way. Labels, comments and fields may stand above it in text that is no Markdown.
 */
export function documentTitle(text: string, fileName: string, isPlain: boolean): string | null {
  const sections = readSections(text, isPlain)
  if (isPlain && sections[0]?.depth === 0 && endOfMarkup(text) >= (sections[1]?.heading?.start ?? text.length))
    sections.shift()
  const [first, ...others] = sections
  if (first === undefined || !isTitle(first.depth, others, fileName)) return null
  return first.path || null
}

function isTitle(depth: number, others: readonly { depth: number }[], fileName: string): boolean {
  const isAbove = others.every(other => other.depth > depth)
  return depth === 1 ? isAbove || IS_GENERAL_NAME.test(fileName) : depth === 2 && isAbove && others.length > 0
}

function endOfMarkup(text: string): number {
  let at = 0
  for (const line of text.split('\n')) {
    if (!MARKUP_LINE.test(line)) break
    at += line.length + 1
  }
  return at
}
