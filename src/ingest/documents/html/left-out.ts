import { classesOf, closest, type HtmlElement } from './element.ts'
import { isNavigation } from './navigation.ts'

const ELEMENTS = new Set(
  'SCRIPT STYLE NAV FOOTER NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO BUTTON SELECT INPUT TEXTAREA DIALOG'.split(
    ' ',
  ),
)
const ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'dialog', 'alert'])
const HIDDEN = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** Of Pygments and Rouge. Prism has the class `line-numbers` on the code itself. */
const LINE_NUMBERS = new Set(['linenos', 'linenodiv', 'lineno', 'rouge-gutter'])

/** Whether an element is not part of what a page says: navigation, forms, scripts, and what a browser does not show. */
export function isLeftOut(node: HtmlElement): boolean {
  if (ELEMENTS.has(node.nodeName.toUpperCase())) return true
  if (node.hasAttribute('hidden') || node.getAttribute('aria-hidden') === 'true') return true
  if (isNavigation(node) || classesOf(node).some(name => LINE_NUMBERS.has(name))) return true
  if (HIDDEN.test(node.getAttribute('style') ?? '') || ROLES.has(node.getAttribute('role') ?? '')) return true
  // Notes inside the text are `aside` too, and an article may have its heading in a `header`.
  if (node.nodeName === 'ASIDE') return !isInside(node)
  return node.nodeName === 'HEADER' && !isInside(node) && node.getElementsByTagName('h1').length === 0
}

function isInside(node: HtmlElement): boolean {
  return closest(node, ({ nodeName }) => ['MAIN', 'ARTICLE', 'SECTION'].includes(nodeName)) !== null
}
