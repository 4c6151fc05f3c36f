import { classesOf, type HtmlDocument, type HtmlElement, oncePerNode } from './element.ts'
import { lettersOf } from './letters.ts'

const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Classes that only navigation and contents have, of DocBook, Sphinx, Doxygen, javadoc, Texinfo and MediaWiki. */
const NAVIGATION = words(`
  navheader navfooter footer toc list-of-tables list-of-figures list-of-examples list-of-equations list-of-procedures
  sphinxsidebar wy-nav-top wy-nav-side wy-breadcrumbs rst-versions rst-footer-buttons
  navpath ttc topnav subnav bottomnav skipnav legalcopy nav-panel mw-editsection catlinks`)

/** Classes that pages may give to their text as well: links must be most of it. */
const CONTENTS = words(`
  toc2 lot toctree-wrapper nav navbar navigation menu breadcrumb breadcrumbs pagination`)

/** Elements that are text, whatever their class says: the body of AsciiDoctor has the class `toc2`, and a row with totals may be a `footer`. */
const TEXT = words('BODY MAIN ARTICLE TBODY TFOOT TR TD TH LI DT DD H1 H2 H3 H4 H5 H6 A')
const LISTS = words('UL OL DL TABLE')

const MOST = 0.5
const NEARLY_ALL = 0.9
/** Values of `compareDocumentPosition` (DOM standard). */
const FOLLOWING = 4
const CONTAINED = 16

/** Whether an element is navigation or contents by its class, or a list of links above the text of the page. */
export function isNavigation(node: HtmlElement): boolean {
  if (TEXT.has(node.nodeName)) return false
  const classes = classesOf(node)
  if (classes.some(name => NAVIGATION.has(name)) || /^navigation\b/i.test(node.getAttribute('summary') ?? ''))
    return true
  if ((classes.some(name => CONTENTS.has(name)) || isOfDocutils(classes)) && shareOfLinks(node) > MOST) return true
  return LISTS.has(node.nodeName) && isAboveText(node) && shareOfLinks(node) > NEARLY_ALL
}

/** Doxygen has its text in `contents`, and docutils has text in a `topic`. */
function isOfDocutils(classes: readonly string[]): boolean {
  return classes.includes('contents') && (classes.includes('topic') || classes.includes('local'))
}

/** A list of links behind a heading or a paragraph may be content, such as further reading. */
function isAboveText(node: HtmlElement): boolean {
  const { heading, paragraph } = startOf(node.ownerDocument)
  if (heading === null || !isBefore(node, heading)) return false
  return paragraph === null || !isBefore(paragraph, node)
}

/** The first heading and the first paragraph of a page. */
const startOf = oncePerNode((page: HtmlDocument) => ({
  heading: page.querySelector('h1, h2, h3, h4, h5, h6') ?? null,
  paragraph: page.querySelector('p') ?? null,
}))

function isBefore(node: HtmlElement, other: HtmlElement): boolean {
  const position = node.compareDocumentPosition(other)
  return (position & FOLLOWING) !== 0 && (position & CONTAINED) === 0
}

function shareOfLinks(node: HtmlElement): number {
  const { all, linked, ofPictures, ofLinkedPictures } = lettersOf(node)
  return all + ofPictures === 0 ? 0 : (linked + ofLinkedPictures) / (all + ofPictures)
}
