import { wordSet } from '../../../core/collections.ts'
import { classesOf, closest, type HtmlElement, isInLine } from './element.ts'
import { lettersOf } from './letters.ts'

/** Elements that hold the text of a page, whatever their class says. */
const TEXT = wordSet('HTML BODY MAIN ARTICLE TABLE TBODY THEAD TR TD TH LI DT DD P PRE CODE H1 H2 H3 H4 H5 H6')

/** Beginnings of the ids and classes that tools for consent give to their windows. */
const CONSENT_TOOL =
  /^(?:onetrust|ot-sdk|cybotcookiebot|cookiebot|cookieyes|cookielaw|cookie-law-info|didomi|usercentrics|osano|cmplz|klaro|borlabs|iubenda-cs|cky-|cc-(?:window|banner)|qc-cmp|trustarc|truste|tarteaucitron|axeptio|fc-consent)/
/** Classes of windows that pages make themselves: what it is about, and what kind of window it is. */
const CONSENT =
  /(?:cookie|consent|gdpr).*(?:banner|notice|notification|bar|popup|pop-up|modal|dialog|overlay|alert|prompt|consent)(?![a-z])/

/** Of MediaWiki: notes to all readers, links to other meanings of the title, and boxes with links. */
const OF_WIKI = wordSet(
  'mw-jump-link mw-cite-backlink mw-indicators hatnote printfooter navbox sistersitebox sitenotice jump-to-nav',
)
/** What is not for paper is not the text. Of Bootstrap, Tailwind and MediaWiki. */
const NOT_PRINTED = wordSet('noprint no-print d-print-none hidden-print print:hidden')
const SHARE =
  /^(?:share|sharing|social)(?:[-_]?(?:share|buttons?|bar|links?|icons?|tools?|widget|media|menu))?$|^(?:post|article|entry|page)[-_]?shar(?:e|ing)|^(?:sharedaddy|addtoany|a2a_kit|addthis)/
const NEWSLETTER = /newsletter/
/** Beside the text. In docutils, text has a `sidebar` too, inside of a section. */
const SIDEBAR = wordSet('sidebar widget-area side-bar')
const TEXT_CLASSES = wordSet('section body content document main')

const SKIPS = /^\s*(?:skip|jump) to\b/i
/** Letters outside of links in a trail of pages, or beside buttons. */
const FEW = 120

/**
 * Whether an element stands around the text of a page and says nothing of its subject: windows that ask for consent, links that skip to the text, the trail of pages that leads to it,
 * buttons to share it, newsletters, columns beside it, and what is not for print. What holds a heading of the first level is the text.
 */
export function isBoilerplate(node: HtmlElement): boolean {
  if (node.nodeName === 'A') return isSkipLink(node)
  if (TEXT.has(node.nodeName) || isInLine(node)) return hasName(node, OF_WIKI) && !TEXT.has(node.nodeName)
  const classes = classesOf(node)
  const id = (node.getAttribute('id') ?? '').toLowerCase()
  const isOne =
    [id, ...classes].some(name => CONSENT_TOOL.test(name)) ||
    classes.some(name => CONSENT.test(name) || NOT_PRINTED.has(name)) ||
    hasName(node, OF_WIKI) ||
    (isTrail(node, classes) && isShort(node)) ||
    (classes.some(name => SHARE.test(name)) && isShort(node)) ||
    (classes.some(name => NEWSLETTER.test(name)) && holds(node, 'input, form')) ||
    (classes.some(name => SIDEBAR.has(name)) && !isInText(node))
  return isOne && !holds(node, 'h1, main')
}

function hasName(node: HtmlElement, names: ReadonlySet<string>): boolean {
  return [(node.getAttribute('id') ?? '').toLowerCase(), ...classesOf(node)].some(name => names.has(name))
}

const holds = (node: HtmlElement, selector: string): boolean => Boolean(node.querySelector(selector))

function isSkipLink(link: HtmlElement): boolean {
  return (link.getAttribute('href') ?? '').startsWith('#') && SKIPS.test(link.textContent ?? '')
}

function isTrail(node: HtmlElement, classes: readonly string[]): boolean {
  return /breadcrumb/i.test(node.getAttribute('aria-label') ?? '') || classes.some(name => /breadcrumb/.test(name))
}

function isShort(node: HtmlElement): boolean {
  const { all, linked } = lettersOf(node)
  return all - linked <= FEW
}

function isInText(node: HtmlElement): boolean {
  const isText = (outer: HtmlElement) =>
    ['MAIN', 'ARTICLE', 'SECTION'].includes(outer.nodeName) ||
    (outer.nodeName === 'DIV' && classesOf(outer).some(name => TEXT_CLASSES.has(name)))
  return closest(node, isText) !== null
}
