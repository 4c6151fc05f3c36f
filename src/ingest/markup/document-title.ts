import { readSections } from '../chunking/sections.ts'
import { headingTitle } from './heading-title.ts'

/** Files with these names tell what they are about in their first heading only. */
const IS_GENERAL_NAME = /^(?:readme|index$)/i

/** A label, a comment or a field of reStructuredText, or the rest of one in the next line. */
const MARKUP_LINE = /^(?:\.\.(?:[ \t]|$)|:[^:\s][^:]*:(?:\s|$)|[ \t]|$)/

/** A title of reStructuredText between two lines of a sign that makes no section. */
const BETWEEN_RULES = /^([*#~^"+])\1{2,}[ \t]*\n[ \t]*([\p{L}\p{N}:`].*)\n\1{3,}[ \t]*(?:\n|$)/u

/**
 * The heading of level 1 or 2 that a text begins with when all others are below it, or its only title between two lines of another sign; null without one. Of several headings of level 1 the first is a chapter or a version like the
 * others, unless the file is a README or an index. One of level 2 has others below it: pages that commands write about themselves begin in this way. Labels, comments and fields may stand above it in text that is no Markdown.
 */
export function documentTitle(text: string, fileName: string, isPlain: boolean): string | null {
  const between = isPlain ? titleBetweenRules(text.slice(endOfMarkup(text))) : null
  if (between !== null) return between
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

function titleBetweenRules(text: string): string | null {
  const [, sign, title = ''] = BETWEEN_RULES.exec(text) ?? []
  if (sign === undefined) return null
  const rules = text.split('\n').filter(line => line.startsWith(sign.repeat(3)))
  return rules.length === 2 ? headingTitle(title) || null : null
}

function endOfMarkup(text: string): number {
  let at = 0
  for (const line of text.split('\n')) {
    if (!MARKUP_LINE.test(line)) break
    at += line.length + 1
  }
  return at
}
