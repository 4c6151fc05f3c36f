import { wordSet } from '../../../core/collections.ts'
import { classesOf, closest, type HtmlElement, isHeading } from './element.ts'
import { lettersOf } from './letters.ts'

/** Classes of boxes beside the text, which DocBook, docutils and Bootstrap name by their kind. */
const BOXES = wordSet('note tip important warning caution danger attention hint admonition alert')
/** Classes of the heading that labels such a box. */
const LABELS = wordSet('title admonition-title alert-heading')
/** Classes of headings that name who wrote the page, of DocBook. */
const PEOPLE = wordSet('author editor collab corpauthor othercredit')
/** Texinfo writes the number of a footnote as a heading. */
const FOOTNOTE = /^\(\d{1,3}\)$/

/**
 * Writes a heading as one line of markdown: a line break in it is a space, and blocks behind the first one stand below it. The label of a
 * box or a footnote is a line in bold, and the name of an author is text: what follows them belongs to the section around them.
 */
export function writeHeading(content: string, node: HtmlElement): string {
  const [first = '', ...others] = content.trim().split(/\n{2,}/)
  const line = first.replace(/^- +/, '').replace(/\s*\n\s*/g, ' ')
  const isPlainLine = line !== '' && !/^(?:\||```)/.test(line)
  return `\n\n${[isPlainLine ? marked(line, node) : first, ...others].join('\n\n')}\n\n`
}

function marked(line: string, node: HtmlElement): string {
  if (classesOf(node).some(name => PEOPLE.has(name))) return line
  if (isLabel(node) || FOOTNOTE.test(line)) return line.includes('**') ? line : `**${line}**`
  return `${'#'.repeat(Number(node.nodeName[1]))} ${line}`
}

/** A heading of the first two levels may be the title of a page whose text is such a box. */
function isLabel(node: HtmlElement): boolean {
  const { nodeName, parentNode: box } = node
  if (nodeName === 'H1' || nodeName === 'H2') return false
  return classesOf(node).some(name => LABELS.has(name)) && box !== null && classesOf(box).some(name => BOXES.has(name))
}

/** Marks and pictures, with those of icon fonts, which stand in the private use area of Unicode. Operators are names of things. */
const MARK = /^[\s¶#§↑∞\p{So}\p{Co}\p{Cf}\p{Mn}]*$/u
const CLASSES = wordSet(`
  headerlink header-link header-anchor heading-anchor heading-link hash-link
  permalink anchor anchor-link anchorjs-link anchorlink headinglink`)

/** Whether a link leads to its own place: its text is a mark, or its class says so and its heading has text outside of links. */
export function isPermalink(node: HtmlElement): boolean {
  if (MARK.test(node.textContent ?? '') && node.getElementsByTagName('img').length === 0) return true
  if (!classesOf(node).some(name => CLASSES.has(name))) return false
  const heading = closest(node, isHeading)
  if (heading === null) return false
  const { all, linked } = lettersOf(heading)
  return all > linked
}
