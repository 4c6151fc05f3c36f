import { wordSet } from '../../../core/collections.ts'
import { rememberedByObject } from '../../../text/bounded-cache.ts'
import {
  classesOf,
  closest,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  isHeading,
  isInLine,
  nameOfPicture,
} from './element.ts'
import { lettersOf } from './letters.ts'

/** Classes that only navigation and contents have, of DocBook, Sphinx, rustdoc, Doxygen, javadoc, Texinfo, MediaWiki and Bootstrap. */
const NAVIGATION = wordSet(`
  navheader navfooter list-of-tables list-of-figures list-of-examples list-of-equations list-of-procedures
  sphinxsidebar wy-nav-top wy-nav-side wy-breadcrumbs rst-versions rst-footer-buttons
  rustdoc-breadcrumbs hideme navpath ttc topnav subnav bottomnav skipnav legalcopy nav-panel mw-editsection catlinks
  dropdown-menu`)

/** Classes that pages may give to their text as well: links must be most of it. */
const CONTENTS = wordSet(`
  toc2 lot toctree-wrapper table-of-contents nav navbar navigation menu breadcrumb breadcrumbs pagination section-toc mini-toc
  indextable genindex-jumpbox modindex-jumpbox indexdiv index-cp index-fn index-ky index-pg index-tp index-vr
  relatedtopics related-topics related-articles related-pages related-posts related-links
  cp-entries-printindex fn-entries-printindex vr-entries-printindex cp-letters-header-printindex fn-letters-header-printindex
  vr-letters-header-printindex`)
/** A link to a letter of an index, of Texinfo. */
const TO_LETTER = 'a.summary-letter'

/** A paragraph with more letters outside of links is text, as in Readability, unless it is about rights. */
const LONG_PARAGRAPH = 80
const RIGHTS = /©|\(c\)|\b(?:copyright|licen[cs]ed|trademarks?|all rights)\b/i

/** A footer with more letters outside of links says more than date, version and rights. */
const LONG_FOOTER = 300

/** Elements that are text, whatever their class says: the body of AsciiDoctor has the class `toc2`, and a row with totals may be a `footer`. */
const TEXT = wordSet('BODY MAIN ARTICLE TBODY TFOOT TR TD TH LI DT DD H1 H2 H3 H4 H5 H6')
const LISTS = wordSet('UL OL DL TABLE')

/** Parts of a line beside a link that are looked at: a line may be as long as the page. */
const NEIGHBOURS = 10

/** For the class `toc`, as in Readability: contents may describe each page, and Texinfo gives this class to lists without links. */
const SOME = 0.2
const MOST = 0.5
const NEARLY_ALL = 0.9
/** Values of `compareDocumentPosition` (DOM standard). */
const FOLLOWING = 4
const CONTAINED = 16

/** Of contents by titles: links, and words in each on average. */
const FEWEST_TITLES = 3
const FEWEST_WORDS = 3

/** "Contents", in the same languages as the steps below. */
const NAME_OF_CONTENTS =
  /^\s*(?:\d{1,3}\.?\s+)?(?:(?:table\s+of\s+)?contents|inhalt|inhaltsverzeichnis|sommaire|table\s+des\s+matières|índice|contenidos?|conteúdo|sumário|indice|inhoud|inhoudsopgave|spis\s+treści|содержание|оглавление|目[录錄次]|목차)\s*:?\s*$/iu
const ENDS_IN_COLON = /:\s*$/
/** What the links of a bar say that leads from page to page, as that of Texinfo (HTML standard). */
const LEADS_ON = /\b(?:next|prev|previous)\b/i
/** The same in the title of a link, as themes of Sphinx write it. */
const TO_NEIGHBOUR = /^(?:next|previous) (?:chapter|page|section)\b/i
/** What stands beside the links of such a bar. */
const LABEL = /^(?:next|prev|previous|up|top|back|home|contents|index|page|chapter|section|go|to|the|of|on|this)$/i
const WORDS = /[\p{L}\p{M}]+/gu
/** "Previous" and "next" in German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese and Korean, perhaps with a word such as "page" beside them. */
const PREVIOUS =
  'prev(?:ious)?|zurück|vorherige[rs]?|vorige[rs]?|précédente?|anterior|precedente|poprzedni[ae]?|назад|предыдущ(?:ая|ий|ее)|上一[页頁章篇]|前へ|前のページ|이전'
const NEXT =
  'next|weiter|nächste[rs]?|suivante?|siguiente|seguinte|próxim[ao]|successiv[ao]|volgende|następn[aye]|далее|вперёд|вперед|следующ(?:ая|ий|ее)|下一[页頁章篇]|次へ|次のページ|다음'
const PAGE = 'page|seite|kapitel|abschnitt|chapitre|página|capítulo|pagina|capitolo|hoofdstuk|strona|страница|глава'
const TO_TOP =
  /^[↑⇑^\s]*(?:(?:(?:back|go|return)\s+)?(?:to\s+)?(?:the\s+)?top(?:\s+of\s+(?:the\s+)?page)?|(?:zurück\s+)?(?:nach\s+oben|zum\s+(?:seiten)?anfang)|haut\s+de\s+(?:la\s+)?page|volver\s+arriba|наверх|返回顶部|ページ(?:の先頭|トップ)へ)[↑⇑^\s]*$/iu
const TOP = /^\s*top\s*$/i
/** Elements in which a word alone can be a name. */
const NAMES = wordSet('CODE DT LI TR')
const ARROW = new RegExp(
  String.raw`^\s*(?:[<←«‹]+[-\s]*(?:(?:${PAGE})\s)?(?:${PREVIOUS})(?:\s(?:${PAGE}))?|(?:(?:${PAGE})\s)?(?:${NEXT})(?:\s(?:${PAGE}))?[-\s]*[>→»›]+)\s*$`,
  'iu',
)

/** Whether an element is navigation or contents: by its class, its heading or its links, or as a list of links above the text of the page. */
export function isNavigation(node: HtmlElement): boolean {
  if (isHeading(node)) return isHeadingOfContents(node)
  if (node.nodeName === 'A')
    return isStep(node) || isContentsBesideStep(node) || isLinkToSource(node) || isLinkToTop(node)
  if (TEXT.has(node.nodeName)) return false
  const classes = classesOf(node)
  if (classes.some(name => NAVIGATION.has(name)) || /^navigation\b/i.test(node.getAttribute('summary') ?? ''))
    return true
  if (classes.includes('toc') && shareOfLinks(node) > SOME) return true
  if ((classes.includes('footer') || isFooterById(node)) && (shareOfLinks(node) > MOST || !hasParagraph(node)))
    return true
  const isOfContents = classes.some(name => CONTENTS.has(name)) || isOfDocutils(classes)
  if ((isOfContents || (node.nodeName === 'TABLE' && node.querySelector(TO_LETTER))) && shareOfLinks(node) > MOST)
    return true
  if (leadsOn(node) && !hasOwnWords(node)) return !node.querySelector('h1, h2, h3, h4, h5, h6')
  if (shareOfLinks(node) <= NEARLY_ALL) return false
  if (LISTS.has(node.nodeName) && (isAboveText(node) || isContentsOfPage(node))) return true
  return isHeadingOfContents(besides(node, 'previousSibling'))
}

/**
 * Whether a list has the titles of the page, or its questions, as links to the places where they come again in the same order. Lists of names are kept: they
 * say what there is. So are lists in which a sentence goes on.
 */
const isContentsOfPage: (list: HtmlElement) => boolean = rememberedByObject(list => {
  if (!isListOfPlaces(list) || hasOwnWords(list) || isAnnounced(list)) return false
  const titles = Array.from(list.getElementsByTagName('a'), link => inOneLine(link.textContent ?? ''))
  const words = titles.reduce((sum, title) => sum + title.split(' ').length, 0)
  if (words < FEWEST_WORDS * titles.length) return false
  const page = textOfPage(list.ownerDocument)
  let end = 0
  return titles.every(title => {
    const at = page.indexOf(title, end)
    end = at + title.length
    return at >= 0 && title !== ''
  })
})

/** Whether a sentence goes on in a list: "New in this release:". */
function isAnnounced(list: HtmlElement): boolean {
  const before = besides(list, 'previousSibling')?.textContent ?? ''
  return ENDS_IN_COLON.test(before) && !NAME_OF_CONTENTS.test(before)
}

/** Whether a list is nothing but links to places of the page. */
const isListOfPlaces: (node: HtmlElement) => boolean = rememberedByObject(node => {
  if (!LISTS.has(node.nodeName) || shareOfLinks(node) <= NEARLY_ALL) return false
  const links = Array.from(node.getElementsByTagName('a'))
  return links.length >= FEWEST_TITLES && links.every(link => link.getAttribute('href')?.startsWith('#'))
})

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The text of a page outside of scripts and of lists of links to its places: contents may be there twice. */
const textOfPage = rememberedByObject((page: HtmlDocument) => {
  const texts: string[] = []
  const read = (node: HtmlElement): void => {
    if (node.nodeName === '#text') texts.push(node.textContent ?? '')
    else if (node.nodeName !== 'SCRIPT' && !isListOfPlaces(node)) Array.from(node.childNodes ?? []).forEach(read)
  }
  const body = page.querySelector('body')
  if (body) read(body)
  return inOneLine(texts.join(''))
})

/** Whether a block is named as the footer of the page, as AsciiDoctor does it, and is as short as one. A part of the text about footers may have the same id. */
function isFooterById(node: HtmlElement): boolean {
  if (node.nodeName !== 'DIV' || node.getAttribute('id')?.toLowerCase() !== 'footer') return false
  const { all, linked } = lettersOf(node)
  return all - linked <= LONG_FOOTER && !node.querySelector('h1, h2, h3, h4, h5, h6')
}

const hasParagraph: (node: HtmlElement) => boolean = rememberedByObject(node => {
  const { all, linked } = lettersOf(node)
  if (all - linked <= LONG_PARAGRAPH) return false
  if (node.nodeName === 'P') return !RIGHTS.test(node.textContent ?? '')
  return Array.from(node.childNodes).some(hasParagraph)
})

/** Whether a link outside of a sentence says that it leads to the page before or behind, with an arrow: "<-previous", "Next »". */
function isStep(node: HtmlElement | null): boolean {
  return node !== null && hasArrow(node) && !isInSentence(node) && !isExplained(node)
}

/** Whether a link outside of a sentence leads back to the top of the page. In a list, a table, code or a heading "top" alone is a name, as of a property or a command. */
function isLinkToTop(link: HtmlElement): boolean {
  if (!link.getAttribute('href')?.startsWith('#')) return false
  const picture = link.querySelector('img')
  const name = `${link.textContent ?? ''}${picture ? nameOfPicture(picture) : ''}`
  if (!TO_TOP.test(name) || isInSentence(link)) return false
  const isInPlaceOfName = closest(link, around => NAMES.has(around.nodeName) || isHeading(around)) !== null
  return !TOP.test(name) || !(isInPlaceOfName || link.querySelector('code'))
}

/** As rustdoc has it beside each item. */
function isLinkToSource(link: HtmlElement): boolean {
  return classesOf(link).includes('src') && link.textContent?.trim() === 'Source'
}

function hasArrow(node: HtmlElement): boolean {
  return node.nodeName === 'A' && ARROW.test(node.textContent ?? '')
}

/** Whether a link stands in the term of a definition, or is the only one with an arrow in a row of a table that says more than the names of pages. */
function isExplained(link: HtmlElement): boolean {
  const around = closest(link, ({ nodeName }) => nodeName === 'DT' || nodeName === 'TR')
  if (around === null || around.nodeName === 'DT') return around !== null
  const rows = around.parentNode?.getElementsByTagName('tr').length ?? 0
  return rows > 1 && hasOwnWords(around) && stepsIn(around) === 1
}

const stepsIn: (node: HtmlElement) => number = rememberedByObject(node =>
  Array.from(node.childNodes ?? []).reduce((sum, child) => sum + stepsIn(child), hasArrow(node) ? 1 : 0),
)

/** Whether a line has letters outside of links beside this one: its text, and elements that are words in it. */
function isInSentence(link: HtmlElement): boolean {
  if (hasLettersBeside(link, 'previousSibling') || hasLettersBeside(link, 'nextSibling')) return true
  const { parentNode: parent } = link
  return parent !== null && isInLine(parent) && isInSentence(parent)
}

function hasLettersBeside(node: HtmlElement, side: 'previousSibling' | 'nextSibling'): boolean {
  let at = node[side]
  for (let looked = 0; looked < NEIGHBOURS && at !== null; looked++, at = at[side]) {
    if (!isInLine(at)) return false
    const { all, linked } = lettersOf(at)
    if (all > linked) return true
  }
  return false
}

function isContentsBesideStep(node: HtmlElement): boolean {
  if (!NAME_OF_CONTENTS.test(node.textContent ?? '')) return false
  return isStep(besides(node, 'previousSibling')) || isStep(besides(node, 'nextSibling'))
}

/** Whether an element is a heading such as "Table of Contents" above nothing but links: what follows the links is not below it. */
function isHeadingOfContents(node: HtmlElement | null): boolean {
  if (node === null || !isHeading(node) || !NAME_OF_CONTENTS.test(node.textContent ?? '')) return false
  const next = besides(node, 'nextSibling')
  return next !== null && (LISTS.has(next.nodeName) || next.nodeName === 'DIV') && shareOfLinks(next) > NEARLY_ALL
}

/** The element beside another one, when only white space and comments are between them. */
function besides(node: HtmlElement, side: 'previousSibling' | 'nextSibling'): HtmlElement | null {
  for (let at = node[side]; at !== null; at = at[side]) {
    if (isElement(at)) return at
    if (at.nodeName === '#text' && at.textContent?.trim() !== '') return null
  }
  return null
}

/** Whether a link of an element says that it leads to the page before or behind. */
const leadsOn: (node: HtmlElement) => boolean = rememberedByObject(
  node =>
    (node.nodeName === 'A' &&
      (LEADS_ON.test(node.getAttribute('rel') ?? '') || TO_NEIGHBOUR.test(node.getAttribute('title') ?? ''))) ||
    Array.from(node.childNodes ?? []).some(leadsOn),
)

/** Whether an element says more outside of its links than what kind of page they lead to. */
const hasOwnWords: (node: HtmlElement) => boolean = rememberedByObject(node => {
  if (node.nodeName === 'A') return false
  const text = node.nodeName === 'IMG' ? nameOfPicture(node) : node.nodeName === '#text' ? node.textContent : null
  if (text?.match(WORDS)?.some(word => !LABEL.test(word))) return true
  return Array.from(node.childNodes ?? []).some(hasOwnWords)
})

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
const startOf = rememberedByObject((page: HtmlDocument) => ({
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
