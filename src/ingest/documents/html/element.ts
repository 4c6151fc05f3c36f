import type TurndownService from 'turndown'
import { wordSet } from '../../../core/collections.ts'

/** What is used of an element of the DOM: the types of browsers are not part of this program. */
export interface HtmlElement {
  readonly nodeName: string
  readonly parentNode: HtmlElement | null
  readonly childNodes: ArrayLike<HtmlElement>
  readonly previousSibling: HtmlElement | null
  readonly nextSibling: HtmlElement | null
  readonly textContent: string | null
  readonly ownerDocument: HtmlDocument
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  getElementsByTagName(name: string): ArrayLike<HtmlElement>
  querySelector(selector: string): HtmlElement | null | undefined
  compareDocumentPosition(other: HtmlElement): number
}

export type HtmlDocument = Pick<HtmlElement, 'querySelector'>

/** How some elements are written as markdown. */
interface HtmlRule {
  filter: TurndownService.TagName | TurndownService.TagName[] | ((node: HtmlElement) => boolean)
  /** @param content what the element holds, as markdown */
  replacement: (content: string, node: HtmlElement) => string
}

/** Adds rules by their names. The first rule that fits wins, and the last one added is asked first. */
export function addRules(service: TurndownService, rules: Readonly<Record<string, HtmlRule>>): void {
  for (const [name, rule] of Object.entries(rules)) service.addRule(name, rule as unknown as TurndownService.Rule)
}

/** The classes of an element, in lower case: generators of one family differ in case. */
export function classesOf(node: HtmlElement): string[] {
  return (node.getAttribute('class') ?? '').toLowerCase().split(/\s+/)
}

export function isElement({ nodeName }: HtmlElement): boolean {
  return !nodeName.startsWith('#')
}

/** Whether an element is a heading of any level. */
export function isHeading({ nodeName }: HtmlElement): boolean {
  return /^H[1-6]$/.test(nodeName)
}

const INLINE = wordSet(
  'A ABBR B BDI BDO BIG CITE CODE DEL DFN EM FONT I INS KBD LABEL MARK NOBR PICTURE Q S SAMP SMALL SOURCE SPAN STRONG SUB SUP TIME TT U VAR',
)

/** Whether a node is a part of a line of text. */
export function isInLine(node: HtmlElement): boolean {
  return !isElement(node) || INLINE.has(node.nodeName)
}

/** The nearest element around another one that fits; null without one. */
export function closest(node: HtmlElement, fits: (outer: HtmlElement) => boolean): HtmlElement | null {
  for (let at = node.parentNode; at !== null; at = at.parentNode) if (fits(at)) return at
  return null
}

const IMAGE_FILE = /\/|\.(?:png|gif|jpe?g|svg|webp|bmp)$/i
/** Written by LaTeX2HTML: `4#4` is the fourth picture. */
const NUMBER_OF_PICTURE = /^(\d+)#\1$/

/** What a picture shows, in words; '' without them, as where a generator has filled in the path of the file. */
export function nameOfPicture(picture: HtmlElement): string {
  const name = picture.getAttribute('alt')?.trim() ?? ''
  const isFile = IMAGE_FILE.test(name) && (picture.getAttribute('src') ?? '').includes(name)
  return isFile || NUMBER_OF_PICTURE.test(name) ? '' : name
}
