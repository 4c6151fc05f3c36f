import { readSections } from '../chunking/sections.ts'

/** Files with these names tell what they are about in their first heading only. */
const IS_GENERAL_NAME = /^(?:readme|index$)/i

/** A label, a comment or a field of reStructuredText, or the rest of one in the next line. */
const MARKUP_LINE = /^(?:\.\.(?:[ \t]|$)|:[^:\s][^:]*:(?:\s|$)|[ \t]|$)/

/**
 * The heading of level 1 that a text begins with; null without one. Of several headings of level 1 the first is a chapter or a version like the
 * others, unless the file is a README or an index. Labels, comments and fields may stand above it in text that is no Markdown.
 */
export function documentTitle(text: string, fileName: string, isPlain: boolean): string | null {
  const sections = readSections(text, isPlain)
  if (isPlain && sections[0]?.depth === 0 && isMarkup(text.slice(0, sections[1]?.heading?.start))) sections.shift()
  const [first, ...others] = sections
  if (first?.depth !== 1) return null
  const isOnly = others.every(({ depth }) => depth !== 1)
  return isOnly || IS_GENERAL_NAME.test(fileName) ? first.path || null : null
}

function isMarkup(text: string): boolean {
  return text.split('\n').every(line => MARKUP_LINE.test(line))
}
