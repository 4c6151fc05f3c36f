import { readSections } from '../chunking/sections.ts'

/** Files with these names tell what they are about in their first heading only. */
const IS_GENERAL_NAME = /^(?:readme|index$)/i

/**
 * The heading of level 1 that a text begins with; null without one. Of several headings of level 1 the first is a chapter or a version like the
 * others, unless the file is a README or an index.
 */
export function documentTitle(text: string, fileName: string, isPlain: boolean): string | null {
  const [first, ...others] = readSections(text, isPlain)
  if (first?.depth !== 1) return null
  const isOnly = others.every(({ depth }) => depth !== 1)
  return isOnly || IS_GENERAL_NAME.test(fileName) ? first.path || null : null
}
