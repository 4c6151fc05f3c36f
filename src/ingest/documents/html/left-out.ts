import { wordSet } from '../../../core/collections.ts'
import { isBoilerplate } from './boilerplate.ts'
import { classesOf, closest, type HtmlElement, isHeading } from './element.ts'
import { lettersOf } from './letters.ts'
import { isNavigation } from './navigation.ts'

const ELEMENTS = wordSet(
  'SCRIPT STYLE NAV FOOTER NOSCRIPT NOFRAMES TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO SELECT INPUT TEXTAREA DIALOG',
)
const ROLES = wordSet('navigation banner contentinfo search dialog alertdialog')
const HIDDEN = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** Of Pygments and Rouge. Prism has the class `line-numbers` on the code itself. */
const LINE_NUMBERS = wordSet('linenos linenodiv lineno rouge-gutter')

/** Whether an element is not part of what a page says: navigation, fields of forms, scripts, and what a browser does not show. */
export function isLeftOut(node: HtmlElement): boolean {
  if (ELEMENTS.has(node.nodeName.toUpperCase())) return true
  if (node.nodeName === 'BUTTON' && !isPartOfText(node)) return true
  if (node.hasAttribute('hidden') || node.getAttribute('aria-hidden') === 'true') return true
  if (isNavigation(node) || classesOf(node).some(name => LINE_NUMBERS.has(name))) return true
  if (isUnseen(node) || isBoilerplate(node)) return true
  if (HIDDEN.test(node.getAttribute('style') ?? '') || ROLES.has(node.getAttribute('role') ?? '')) return true
  // Notes inside the text are `aside` too, and an article may have its heading in a `header`.
  if (node.nodeName === 'ASIDE') return !isInside(node)
  return node.nodeName === 'HEADER' && !isInside(node) && node.getElementsByTagName('h1').length === 0
}

/** Whether an element names the frame around code or a picture for screen readers only, as "Terminal window". In cells and sentences such words may be what an icon means. */
function isUnseen(node: HtmlElement): boolean {
  return classesOf(node).includes('sr-only') && node.parentNode?.nodeName === 'FIGCAPTION'
}

const TEXT = ['P', 'LI', 'DD']

/** Whether a button is the whole of a heading, as that of a part that can be folded, or stands in a sentence, as a name. */
function isPartOfText(button: HtmlElement): boolean {
  const { all } = lettersOf(button)
  const heading = closest(button, isHeading)
  if (heading !== null) return lettersOf(heading).all === all
  const { parentNode: parent } = button
  return parent !== null && TEXT.includes(parent.nodeName) && lettersOf(parent).all > all
}

function isInside(node: HtmlElement): boolean {
  return closest(node, ({ nodeName }) => ['MAIN', 'ARTICLE', 'SECTION'].includes(nodeName)) !== null
}
