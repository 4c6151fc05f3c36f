import { classesOf, closest, type HtmlElement } from '../element.ts'
import { lettersOf } from '../letters.ts'

/** Marks and pictures, with those of icon fonts, which stand in the private use area of Unicode. Operators are names of things. */
const MARK = /^[\s¶#§↑∞\p{So}\p{Co}\p{Cf}\p{Mn}]*$/u
const CLASSES = new Set([
  ...['headerlink', 'header-link', 'header-anchor', 'heading-anchor', 'heading-link', 'hash-link'],
  ...['permalink', 'anchor', 'anchor-link', 'anchorjs-link', 'anchorlink', 'headinglink'],
])
const HEADING = /^H[1-6]$/

/** Whether a link leads to its own place: its text is a mark, or its class says so and its heading has text outside of links. */
export function isPermalink(node: HtmlElement): boolean {
  if (MARK.test(node.textContent ?? '') && node.getElementsByTagName('img').length === 0) return true
  if (!classesOf(node).some(name => CLASSES.has(name))) return false
  const heading = closest(node, ({ nodeName }) => HEADING.test(nodeName))
  if (heading === null) return false
  const { all, linked } = lettersOf(heading)
  return all > linked
}
